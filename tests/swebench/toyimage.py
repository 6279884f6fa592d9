"""A container image made of this host's files: bash, coreutils, git, a Python with pytest, and a small repository."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.swebench.toyrows import IMAGE, MODULE, TESTS

PROGRAMS = """
    bash sh cat cp mv rm ls ln head tail wc tr sort uniq sed grep find mktemp mkdir dirname basename chmod touch env
    nohup setsid sleep true false yes tee stat seq dd id kill git rm cut xargs date comm
""".split()  # noqa: SIM905
PACKAGES = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments")
LATER = "the fix, which an agent must not see"
_LEFT_OUT = re.compile(r"/(test|tests|idlelib|tkinter|turtledemo|ensurepip|lib2to3|site-packages|config-[^/]*)(/|$)")


def daemon() -> str | None:
    """Why there is no daemon; None where there is one."""
    try:
        import docker

        docker.from_env(timeout=5).ping()
    except Exception as problem:
        return f"no Docker daemon: {problem}"
    return None


@cache
def build() -> str:
    """Make the image; returns the base commit."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        base = repository(Path(folder) / "testbed")
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            for path, name in _files():
                tar.add(path, name, recursive=False)
            tar.add(Path(folder) / "testbed", "testbed", filter=_root)
            for name in ("tmp", "root", "etc"):
                made = tarfile.TarInfo(name)
                made.type, made.mode = tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755
                tar.addfile(made)
            passwd = tarfile.TarInfo("etc/passwd")
            passwd.size = len(b"root:x:0:0::/root:/bin/bash\n")
            tar.addfile(passwd, io.BytesIO(b"root:x:0:0::/root:/bin/bash\n"))
        # The entry point hands SIGTERM on, or each evaluation would wait for `docker stop`.
        entry = 'ENTRYPOINT ["/bin/sh","-c","trap \\"exit 0\\" TERM; \\"$@\\" & wait","sh"]'
        changes = ["--change", entry, "--change", "WORKDIR /testbed", "--change", "ENV PATH=/usr/bin:/bin"]
        command = ["docker", "import", *changes, "-", IMAGE]
        subprocess.run(command, input=buffer.getvalue(), check=True, capture_output=True)
    return base


def repository(folder: Path) -> str:
    """A repository at its base commit, with a later commit on a branch, a tag, a remote and a reflog."""
    folder.mkdir(parents=True)
    (folder / "adder.py").write_text(MODULE)
    (folder / "test_adder.py").write_text(TESTS)
    (folder / "notes.txt").write_bytes(b"caf\xe9\r\nsecond\r\n")
    (folder / ".gitignore").write_text("*.log\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "base")
    base = git(folder, "rev-parse", "HEAD").strip()
    (folder / "adder.py").write_text(MODULE.replace("a - b", "a + b"))
    git(folder, "commit", "-q", "-a", "-m", LATER)
    git(folder, "tag", "v2")
    git(folder, "branch", "later")
    git(folder, "remote", "add", "origin", "https://example.invalid/toy.git")
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(folder, "reset", "-q", "--hard", base)
    (folder / "adder.py").write_text(MODULE + "\n")
    git(folder, "stash", "-q")
    return base


def git(folder: Path, *words: str) -> str:
    who = {f"GIT_{who}_{what}": "toy" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    when = {f"GIT_{who}_DATE": "2026-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")}
    env = {**os.environ, **who, **when, "GIT_CONFIG_GLOBAL": "/dev/null"}
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True, env=env).stdout


# ---------------------------------------------------------------- files


def _root(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = 0
    return info


def _files() -> Iterator[tuple[Path, str]]:
    """(path on the host, name in the image)."""
    python = Path(sys.base_prefix)
    binaries = {name: Path(found).resolve() for name in PROGRAMS if (found := shutil.which(name, path="/usr/bin:/bin"))}
    binaries["python3"] = (python / "bin" / f"python3.{sys.version_info.minor}").resolve()
    yield from ((path, f"usr/bin/{name}") for name, path in binaries.items())
    yield from ((binaries[name], f"bin/{name}") for name in ("sh", "bash"))
    standard = Path(sysconfig.get_path("stdlib", vars={"base": str(python)}))
    needed = {*binaries.values()}
    for path in standard.rglob("*"):
        inside = str(path)[len(str(standard)) :]
        if not _LEFT_OUT.search(inside) and "__pycache__" not in inside and path.is_file():
            yield path, f"usr/lib/python3.{sys.version_info.minor}{inside}"
            if path.suffix == ".so":
                needed.add(path)
    import pytest

    site = Path(pytest.__file__).parents[1]
    for package in PACKAGES:
        for path in (site / package).rglob("*.py"):
            yield path, f"usr/lib/python3.{sys.version_info.minor}/{path.relative_to(site)}"
    for path in site.glob("*.dist-info/METADATA"):
        if path.parent.name.split("-")[0] in PACKAGES:
            yield path, f"usr/lib/python3.{sys.version_info.minor}/{path.relative_to(site)}"
    yield site / "py.py", f"usr/lib/python3.{sys.version_info.minor}/py.py"
    yield from ((path.resolve(), str(path).lstrip("/")) for path in _libraries(needed))


def _libraries(programs: set[Path]) -> set[Path]:
    """What the programs are linked with."""
    said = subprocess.run(["ldd", *map(str, sorted(programs))], capture_output=True, text=True).stdout
    return {Path(found) for found in re.findall(r"(/\S+)\s+\(0x", said)}
