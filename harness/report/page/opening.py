"""How long a page takes to open: its own mark of having drawn everything, read off a headless Chromium."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MARK = re.compile(r"longhaul: drawn after (\d+) ms, (\d+) elements")


@dataclass(frozen=True, slots=True)
class Opening:
    """seconds: from the start of the navigation until every figure and table stands. elements: of the page by then."""

    seconds: float
    elements: int


def browser() -> str | None:
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def measure(page: Path, patience: float = 60.0) -> Opening:
    """Raises FileNotFoundError without a browser, TimeoutError where nothing was drawn within so many seconds."""
    program = browser()
    if program is None:
        raise FileNotFoundError(f"no browser is installed; looked for {', '.join(BROWSERS)}")
    with tempfile.TemporaryDirectory() as profile:
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
        flags += ["--remote-debugging-port=0", f"--user-data-dir={profile}"]  # the port keeps it open
        command = [program, *flags, page.resolve().as_uri()]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        given_up = threading.Timer(patience, process.kill)
        given_up.start()
        try:
            assert process.stderr is not None
            for line in process.stderr:
                if found := _MARK.search(line):
                    return Opening(int(found.group(1)) / 1000, int(found.group(2)))
        finally:
            given_up.cancel()
            process.terminate()
            process.wait(timeout=10)
    raise TimeoutError(f"{page}: nothing was drawn within {patience:g} seconds")
