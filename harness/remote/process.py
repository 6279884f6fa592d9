"""The process of one strategy: what it is started with, how it is asked, and that it is ended."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from harness.remote.channel import Channel, Closed, Frame, Garbled
from harness.remote.frames import error_from, error_to

# All that a strategy's process learns of the environment of the harness.
PASSED_ON = ("PATH", "LANG", "HOME", "XDG_CACHE_HOME", "TIKTOKEN_CACHE_DIR")
# How much of what a process last wrote to its standard error is worth keeping, bytes.
LAST_WORDS = 400
# How long a process whose socket is closed may take to be gone, seconds.
LEAVING = 5.0

Serve = Callable[[Frame], Any]


class ProcessEnded(Exception):
    """The process of a strategy ended, or was ended because it was silent for too long: the strategy's error."""


class Process:
    """Start with `start`. It is ended by `close`, with this object, and with this process, whichever comes first."""

    def __init__(
        self, child: subprocess.Popen[bytes], channel: Channel, errors: IO[bytes], folder: str, seconds: float
    ) -> None:
        self._child = child
        self._channel = channel
        self._errors = errors
        self._seconds = seconds
        self._lost: str | None = None
        self._end = weakref.finalize(self, _end, child, channel, errors, folder)

    def ask(self, frame: Frame, serve: Serve) -> Frame:
        """Have one thing done, and serve what the strategy needs meanwhile. Returns the frame with "done".

        Raises what the strategy raised, under its name; ProcessEnded; MemoryError when the system killed the process.
        """
        if self._lost is not None or not self._end.alive:
            raise ProcessEnded(self._lost or "the strategy's process has been ended")
        try:
            self._channel.send(frame)
            while "need" in (answer := self._channel.receive()):
                self._channel.send(_served(answer, serve))
        except TimeoutError:
            raise self._lose(f"the strategy's process was silent for {self._seconds:g} seconds and was ended") from None
        except Garbled as sent:
            raise self._lose(f"the strategy's process sent {sent}") from None
        except Closed:
            raise self._gone() from None
        if "error" in answer:
            raise error_from(answer["error"])
        return answer

    def close(self) -> None:
        self._end()

    def _gone(self) -> Exception:
        """How it went."""
        self._channel.close()
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(LEAVING)
        code = self._child.returncode
        words = _tail(self._errors)
        if code is None:
            return self._lose("the strategy's process closed its socket, stayed, and was ended")
        if code == -signal.SIGKILL:
            # Nobody here did that: it is what a system short of memory does, and no result.
            self._lose("the strategy's process was killed")
            return MemoryError("the strategy's process was killed by SIGKILL")
        how = f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"
        return self._lose(how + (f"; its last words: {words}" if words else ""))

    def _lose(self, why: str) -> ProcessEnded:
        self._lost = why
        self.close()
        return ProcessEnded(why)


def start(seconds: float) -> Process:
    """Start a process that waits to be told its strategy. `seconds`: the longest silence that it is allowed."""
    here, there = socket.socketpair()
    folder = tempfile.mkdtemp(prefix="strategy-")
    errors = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process lives)
    with there:
        # -P: the working folder is not searched for modules. A session of its own: Ctrl-C is not for it.
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "harness.remote.worker"],
            stdin=there.fileno(),
            stdout=errors,
            stderr=errors,
            cwd=folder,
            env=_environment(),
            close_fds=True,
            start_new_session=True,
        )
    return Process(child, Channel(here, seconds), errors, folder, seconds)


def _environment() -> dict[str, str]:
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return passed | {"PYTHONPATH": os.pathsep.join(os.path.abspath(entry) for entry in sys.path)}


def _served(frame: Frame, serve: Serve) -> Frame:
    try:
        return {"done": serve(frame)}
    except Exception as error:  # goes to the strategy, which asked; the episode has noted it if it is its own
        return {"error": error_to(error)}


def _tail(errors: IO[bytes]) -> str:
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - LAST_WORDS))
    return " | ".join(errors.read().decode(errors="replace").split("\n")[-4:]).strip(" |")


def _end(child: subprocess.Popen[bytes], channel: Channel, errors: IO[bytes], folder: str) -> None:
    channel.close()
    # The whole group: what the strategy has started goes with it. A group that is empty already is no longer there.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    errors.close()
    shutil.rmtree(folder, ignore_errors=True)
