"""What came later is gone, and the patch is what changed, to the byte."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.swebench.machine import Fault
from tasks.swebench.repository import Repository
from tests.swebench import toyimage
from tests.swebench.local import Local
from tests.swebench.toyrows import MODULE


def made(tmp_path: Path, change: Callable[[Path], object] = lambda folder: None) -> tuple[Path, Repository]:
    folder = tmp_path / "testbed"
    base = toyimage.repository(folder)
    change(folder)
    return folder, Repository(Local(), str(folder), base, str(tmp_path / "own"))


def again(tmp_path: Path, patch: str) -> dict[str, bytes]:
    """The files of a fresh checkout after the patch."""
    fresh = tmp_path / "fresh"
    toyimage.repository(fresh)
    (tmp_path / "patch.diff").write_bytes(patch.encode())
    toyimage.git(fresh, "apply", str(tmp_path / "patch.diff"))
    return files(fresh)


def files(folder: Path) -> dict[str, bytes]:
    kept = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept if "__pycache__" not in path.parts}


def test_what_came_later_is_gone_for_good(tmp_path: Path) -> None:
    folder, repository = made(tmp_path)
    later = toyimage.git(folder, "rev-parse", "later").strip()
    assert toyimage.LATER in toyimage.git(folder, "log", "--all")
    repository.prepare()
    assert toyimage.git(folder, "log", "--all", "--format=%s") == "base\n"
    for command in (["tag"], ["remote"], ["reflog", "--all"], ["stash", "list"], ["fsck", "--unreachable"]):
        assert toyimage.git(folder, *command) == ""
    gone = subprocess.run(["git", "cat-file", "-e", later], cwd=folder, capture_output=True)
    assert gone.returncode != 0
    assert toyimage.git(folder, "status", "--porcelain") == ""
    assert toyimage.git(folder, "symbolic-ref", "HEAD") == "refs/heads/main\n"


def test_a_later_commit_that_cannot_be_removed_is_said(tmp_path: Path) -> None:
    def borrow(folder: Path) -> None:
        """Objects of another repository are out of reach of a prune."""
        other = folder.parent / "other"
        toyimage.git(folder.parent, "clone", "-q", "--mirror", str(folder), str(other))
        (folder / ".git" / "objects" / "info").mkdir(exist_ok=True)
        (folder / ".git" / "objects" / "info" / "alternates").write_text(f"{other}/objects\n")

    _, repository = made(tmp_path, borrow)
    with pytest.raises(Fault, match=r"still shows what came after.*commit"):
        repository.prepare()


def test_another_repository_is_refused(tmp_path: Path) -> None:
    _, repository = made(tmp_path)
    repository.base = "1" * 40
    with pytest.raises(Fault, match="does not follow commit 1111"):
        repository.prepare()


def test_nothing_changed_is_an_empty_patch(tmp_path: Path) -> None:
    folder, repository = made(tmp_path)
    repository.prepare()
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "adder.cpython-311.pyc").write_bytes(b"\0time")
    (folder / "run.log").write_text("ignored by the repository itself")
    assert repository.digest() == repository.start
    assert repository.patch() == ""


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited": lambda f: (f / "adder.py").write_text(MODULE.replace("a - b", "a + b")),
    "blank last line of the context": lambda f: (f / "adder.py").write_text("\n" + MODULE),
    "no final newline": lambda f: (f / "adder.py").write_text("x = 1"),
    "new": lambda f: (f / "new file.py").write_text("a = 1\n"),
    "deleted": lambda f: (f / "test_adder.py").unlink(),
    "renamed": lambda f: (f / "adder.py").rename(f / "moved.py"),
    "staged": lambda f: ((f / "adder.py").write_text("y = 1\n"), toyimage.git(f, "add", "-A")),
    "committed": lambda f: ((f / "adder.py").write_text("y = 1\n"), toyimage.git(f, "commit", "-qam", "mine")),
    "other settings": lambda f: (
        toyimage.git(f, "config", "core.autocrlf", "true"),
        toyimage.git(f, "config", "diff.noprefix", "true"),
        toyimage.git(f, "config", "core.excludesFile", "/dev/null"),
        (f / "adder.py").write_bytes(b"a = 1\r\nb = 2\r\n"),
    ),
    "binary": lambda f: (f / "large.bin").write_bytes(bytes(range(256)) * 20_000),
    "bytes that are no utf-8": lambda f: (f / "notes.txt").write_bytes(b"caf\xe9\r\nchanged\r\n\xfe"),
    "mode": lambda f: (f / "adder.py").chmod(0o755),
    "odd name": lambda f: (f / 'é "x"\t.txt').write_text("x\n"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_patch_brings_every_change_to_a_fresh_checkout(tmp_path: Path, name: str) -> None:
    folder, repository = made(tmp_path)
    repository.prepare()
    CHANGES[name](folder)
    patch = repository.patch()
    assert patch.endswith("\n")
    assert repository.applies(patch)
    assert again(tmp_path, patch) == files(folder)


def test_what_does_not_apply_is_told_apart(tmp_path: Path) -> None:
    folder, repository = made(tmp_path)
    repository.prepare()
    (folder / "adder.py").write_text(MODULE.replace("a - b", "a + b"))
    patch = repository.patch()
    for broken in (patch.rstrip("\n")[:-3], patch.replace("return a - b", "return a * b"), "no patch\n"):
        assert not repository.applies(broken)


def test_what_the_image_changed_is_no_part_of_a_patch(tmp_path: Path) -> None:
    def install(folder: Path) -> None:
        (folder / "toy.egg-info").write_text("left by the image\n")
        (folder / "adder.py").write_text("# changed by the image\n" + MODULE)

    folder, repository = made(tmp_path, install)
    repository.prepare()
    assert repository.patch() == ""
    (folder / "test_adder.py").write_text("mine\n")
    assert "adder.py b/adder.py" not in repository.patch().replace("test_adder.py", "")
    assert "egg-info" not in repository.patch()
