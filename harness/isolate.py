"""Run a function in a child process, so that whatever it does, exit or be killed, is a result of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from typing import Any


def call(function: Callable[..., None], *arguments: Any) -> str | None:
    """None when the child ended well, else how it ended ("exit code 3", "killed by SIGKILL").

    The children are forked from a server that has imported the harness once. Raises KeyboardInterrupt when that comes;
    the child is ended first, and what it has recorded stands.
    """
    if multiprocessing.get_start_method() not in multiprocessing.get_all_start_methods():
        # The workers of joblib name a method of their own, which a child would look up in vain.
        multiprocessing.set_start_method("forkserver", force=True)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["harness.cell"])
    child = context.Process(target=_child, args=(function, arguments))
    child.start()
    try:
        child.join()
    except BaseException:
        child.terminate()
        child.join(5)
        if child.is_alive():
            child.kill()
        raise
    code = child.exitcode
    if code == 0:
        return None
    return f"exit code {code}" if code is not None and code > 0 else f"killed by {signal.Signals(-(code or 0)).name}"


def _child(function: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    # Ctrl-C reaches the whole group: the parent alone decides, and ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    function(*arguments)


def _end_with_parent() -> None:
    """A parent that is killed cannot end its children: they end themselves."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
