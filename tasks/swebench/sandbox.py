"""A container for one episode: no network, bounded memory, processors and processes, nothing of the host in it.

It lives as long as the process that made it: its first process reads a pipe that this process holds, ends when the
pipe does, and the daemon then removes the container. Where the daemon was down just then, the label tells the next
start what is left over.
"""

from __future__ import annotations

import contextlib
import importlib
import shutil
import socket
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tasks.swebench import owner
from tasks.swebench.frames import Frames
from tasks.swebench.machine import Fault, Ran

WORK = "/testbed"


@dataclass(frozen=True, slots=True)
class Limits:
    """memory, disk: gigabytes, disk those that must be free to begin. cpus: processors. processes: at once."""

    memory: float = 4.0
    cpus: float = 2.0
    processes: int = 512
    disk: float = 2.0


def client() -> Any:
    """Raises ModuleNotFoundError or Fault with the remedy."""
    try:
        docker = importlib.import_module("docker")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "task=swebench needs the package `docker`: pip install 'longhaul[swebench]'", name="docker"
        ) from error
    try:
        made = docker.from_env(timeout=600)
        made.ping()
    except (docker.errors.DockerException, OSError) as error:
        raise Fault(
            f"no Docker daemon answers: {error}; start one, or set DOCKER_HOST to where it listens"
        ) from error
    return made


def check(images: Iterable[str], limits: Limits) -> None:
    """Raises Fault, before any episode, for what would end each of them."""
    docker, own = importlib.import_module("docker.errors"), client()
    architecture = own.version()["Arch"]
    missing, foreign = [], []
    for image in sorted(set(images)):
        try:
            found = own.images.get(image)
        except docker.ImageNotFound:
            missing.append(image)
            continue
        if found.attrs.get("Architecture") not in ("", None, architecture):
            foreign.append(f"{image} ({found.attrs['Architecture']})")
    if missing:
        raise Fault(f"{_listed(missing)} not on this machine; get each with: docker pull {missing[0]}")
    if foreign:
        raise Fault(f"the machine's architecture is {architecture}, and not that of {_listed(foreign)}")
    root = Path(own.info()["DockerRootDir"])
    # With a daemon on another host the folder is not there, and nothing can be said.
    if root.is_dir() and (free := shutil.disk_usage(root).free / 1e9) < limits.disk:
        raise Fault(f"{root} has {free:.1f} GB free, and a run wants {limits.disk:g}: free some, or set task.disk")


def sweep(own: Any) -> list[str]:
    """Remove the containers of processes of this host that have ended; returns their names."""
    removed = []
    for container in own.containers.list(all=True, filters={"label": owner.LABEL}, ignore_removed=True):
        if owner.gone(container.labels[owner.LABEL]):
            with contextlib.suppress(importlib.import_module("docker.errors").NotFound):
                container.remove(force=True)
            removed.append(container.name)
    return removed


def start(image: str, instance: str, limits: Limits) -> Sandbox:
    """Raises Fault, or what the Docker SDK raises."""
    own = client()
    sweep(own)
    host = own.api.create_host_config(
        network_mode="none",
        mem_limit=int(limits.memory * 1e9),
        memswap_limit=int(limits.memory * 1e9),
        nano_cpus=int(limits.cpus * 1e9),
        pids_limit=limits.processes,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        init=True,
        auto_remove=True,
    )
    made = own.api.create_container(
        image,
        entrypoint=["cat"],
        command=[],
        stdin_open=True,
        detach=False,
        user="root",
        working_dir=WORK,
        environment={"HOME": "/root", "LANG": "C.UTF-8"},
        labels={owner.LABEL: owner.me(), "longhaul.instance": instance},
        host_config=host,
        networking_config=None,
    )
    held = own.api.attach_socket(made["Id"], params={"stdin": 1, "stream": 1})
    own.api.start(made["Id"])
    return Sandbox(own, made["Id"], held)


@dataclass(slots=True)
class Sandbox:
    """A `Machine` in a container. held: the pipe that keeps it alive."""

    client: Any
    id: str
    held: Any
    pipes: list[ExecPipe] = field(default_factory=list)

    def run(self, command: Sequence[str], given: bytes = b"", seconds: float = 60.0) -> Ran:
        frames, name = self._exec(command, bool(given))
        out, deadline = {1: [], 2: []}, time.monotonic() + seconds  # type: dict[int, list[bytes]], float
        try:
            if given:
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it did not read to the end
                    frames.send(given)
            while (left := deadline - time.monotonic()) > 0:
                came = frames.read(left)
                if came == []:
                    return Ran(self._code(name), b"".join(out[1]), b"".join(out[2]))
                for output, load in came or ():
                    out[output].append(load)
        finally:
            frames.close()
        return Ran(124, b"".join(out[1]), b"".join(out[2]))

    def open(self, command: Sequence[str]) -> ExecPipe:
        frames, _ = self._exec(command, True)
        self.pipes.append(ExecPipe(frames))
        return self.pipes[-1]

    def close(self) -> None:
        """Remove the container; it is gone when this returns."""
        errors = importlib.import_module("docker.errors")
        for pipe in self.pipes:
            pipe.close()
        _plain(self.held).close()
        with contextlib.suppress(errors.NotFound, errors.APIError):  # it may be under way, by itself
            self.client.api.remove_container(self.id, force=True)
        with contextlib.suppress(errors.NotFound):
            while True:
                self.client.api.inspect_container(self.id)
                time.sleep(0.02)
        self.client.close()

    def _exec(self, command: Sequence[str], stdin: bool) -> tuple[Frames, str]:
        made = self.client.api.exec_create(self.id, list(command), stdin=stdin, workdir=WORK)
        held = self.client.api.exec_start(made["Id"], socket=True)
        return Frames(_plain(held), held), made["Id"]

    def _code(self, name: str) -> int:
        for _ in range(500):
            code = self.client.api.exec_inspect(name)["ExitCode"]
            if code is not None:
                return int(code)
            time.sleep(0.01)
        raise Fault("a command in the container has ended, and the daemon does not say how")


@dataclass(slots=True)
class ExecPipe:
    frames: Frames

    def send(self, data: bytes) -> None:
        self.frames.send(data)

    def read(self, seconds: float) -> bytes | None:
        came = self.frames.read(seconds)
        return came if came is None else b"".join(load for _, load in came)

    def close(self) -> None:
        self.frames.close()


def _plain(held: Any) -> socket.socket:
    """The connection itself: over a local socket the SDK wraps it, and closes it when the wrapper is forgotten."""
    found: socket.socket = getattr(held, "_sock", held)
    return found


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"image {shown} is" if len(names) == 1 else f"images {shown} are"
