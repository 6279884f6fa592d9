"""The repository in an agent's container: what came later is removed, the work tree has a digest, a patch comes out."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field

from tasks.swebench.machine import Fault, Machine, Ran

# What programs leave beside their sources, with times in it; no part of a solution.
IGNORED = "__pycache__/\n*.pyc\n.pytest_cache/\n.hypothesis/\n.mypy_cache/\n"
# Every reference but the one that the agent starts on goes, and every object that only those led to.
_FORGET = r"""
set -e
head=$(git rev-parse --verify HEAD^{commit})
branch=$(git symbolic-ref -q HEAD || echo refs/heads/main)
git for-each-ref --format='delete %(refname)' | git update-ref --no-deref --stdin
git update-ref --no-deref HEAD "$head"
git update-ref "$branch" "$head"
git symbolic-ref HEAD "$branch"
for remote in $(git remote); do git remote remove "$remote" 2>/dev/null || true; done
dir=$(git rev-parse --absolute-git-dir)
rm -rf -- "$dir/logs" "$dir"/*_HEAD "$dir/refs/stash" "$dir/rebase-merge" "$dir/rebase-apply" "$dir/worktrees"
git -c gc.reflogExpire=now -c gc.reflogExpireUnreachable=now repack -a -d -q
git prune --expire=now
git prune-packed -q
rm -rf -- "$dir/logs"
"""
# Says what is still there of what came later; nothing where all is well.
_LATER = r"""
git rev-list HEAD | LC_ALL=C sort > "$1/reach"
git cat-file --batch-all-objects --batch-check='%(objecttype) %(objectname)' > "$1/all" || echo "objects unreadable"
grep '^commit' "$1/all" | cut -d' ' -f2 | LC_ALL=C sort | comm -23 - "$1/reach" | sed 's/^/commit /'
grep '^tag' "$1/all"
git for-each-ref --format='%(objectname) %(refname)' | grep -v "^$(git rev-parse HEAD) refs/heads/" |
    sed 's/^/reference /'
git remote | sed 's/^/remote /'
[ -z "$(git reflog --all 2>/dev/null)" ] || echo "a reflog"
rm -f -- "$1/reach" "$1/all"
true
"""
_NAME = re.compile(r"[0-9a-f]{40,64}")
# The repository may belong to another user than ours.
_SAFE = ("GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
_ENV = ("env", "LC_ALL=C", *_SAFE)


@dataclass(slots=True)
class Repository:
    """base: the commit that the issue was reported against. own: a folder outside for index and settings of our own.

    start: tree of what the agent found, once prepared.
    """

    machine: Machine
    folder: str
    base: str
    own: str = "/tmp/.longhaul"
    start: str = field(default="", init=False)

    def prepare(self) -> None:
        """Remove what came later than the base, check that, and remember the work tree as it is.

        Raises Fault where the image holds another repository, or something later cannot be removed.
        """
        self._sh(f"mkdir -p {self.own} && chmod 700 {self.own}", "cannot write in the container")
        self._write("ignored", IGNORED.encode())
        self._write("attributes", b"* -diff\n")
        self._git("merge-base", "--is-ancestor", self.base, "HEAD", why=f"HEAD does not follow commit {self.base}")
        self._sh(_FORGET, "what came later cannot be removed", seconds=900)
        left = self._ran(["sh", "-c", f"cd {shlex.quote(self.folder)} && {_LATER}", "sh", self.own], 300)
        if left.code != 0 or left.out.strip():
            said = (left.out or left.err).decode(errors="replace").strip()
            raise Fault(f"the image still shows what came after {self.base}: {said[:300]}")
        self.start = self.digest()

    def files(self) -> frozenset[str]:
        """Paths of the files that git knows, below the folder."""
        return frozenset(self._sh("git -c core.quotePath=false ls-files -z", "no files are listed").split("\0")) - {""}

    def digest(self) -> str:
        """The tree of all files that are not ignored, as git names it: equal for equal names, bytes and modes."""
        index = f"GIT_INDEX_FILE={self.own}/index"
        command = f"{index} git {self._settings()} add -A && {index} git write-tree"
        out = self._sh(command, "the work tree is unreadable")
        if not _NAME.fullmatch(out.strip()):
            raise Fault(f"the work tree is unreadable: {out[:300]}")
        return out.strip()

    def patch(self) -> str:
        """What changed since the start, new files included, whatever was staged or committed; "" for nothing.

        Every byte as it is, one final newline. Where it holds bytes that are no UTF-8 all of it is in git's binary
        form, which is plain ASCII.
        """
        tree = self.digest()
        if tree == self.start:
            return ""
        options = "--binary --full-index --no-color --no-ext-diff --no-textconv --no-renames"
        try:
            found = self._diff(options, tree).decode()
        except UnicodeDecodeError:
            found = self._diff(options, tree, f"-c core.attributesFile={self.own}/attributes").decode()
        return found if not found or found.endswith("\n") else found + "\n"

    def applies(self, patch: str) -> bool:
        """Whether it applies to the tree as the agent found it."""
        index = f"GIT_INDEX_FILE={self.own}/clean"
        data = patch.encode()
        command = (
            f"head -c {len(data)} > {self.own}/patch && cd {shlex.quote(self.folder)} && "
            f"{index} git read-tree {self.start} && {index} git apply --check --cached {self.own}/patch"
        )
        return self.machine.run([*_ENV, "sh", "-c", command], data, 120).code == 0

    # ------------------------------------------------------------ the rest

    def _diff(self, options: str, tree: str, settings: str = "") -> bytes:
        diff = f"git {self._settings()} {settings} diff-tree -p -r {options} {self.start} {tree}"
        command = f"cd {shlex.quote(self.folder)} && {diff}"
        ran = self._ran(["sh", "-c", command], 300)
        if ran.code != 0:
            raise Fault(f"the patch cannot be made: {ran.err.decode(errors='replace')[:300]}")
        return ran.out

    def _settings(self) -> str:
        # Of the agent's settings none may change what is seen.
        own = ("core.autocrlf=false", "core.fileMode=true", "core.quotePath=true", "core.safecrlf=false")
        return " ".join(f"-c {one}" for one in (*own, f"core.excludesFile={self.own}/ignored"))

    def _write(self, name: str, content: bytes) -> None:
        ran = self.machine.run(["sh", "-c", f"head -c {len(content)} > {self.own}/{name}"], content)
        if ran.code != 0:
            raise Fault(f"cannot write in the container: {ran.err.decode(errors='replace')[:300]}")

    def _git(self, *words: str, why: str) -> str:
        return self._sh("git " + " ".join(map(shlex.quote, words)), why)

    def _sh(self, script: str, why: str, seconds: float = 300) -> str:
        ran = self._ran(["sh", "-c", f"cd {shlex.quote(self.folder)} && {{ {script}\n}}"], seconds)
        if ran.code != 0:
            raise Fault(f"{self.folder}: {why}: {(ran.err or ran.out).decode(errors='replace').strip()[:300]}")
        return ran.out.decode(errors="replace")

    def _ran(self, command: list[str], seconds: float) -> Ran:
        return self.machine.run([*_ENV, *command], b"", seconds)
