"""A bash that lasts: directory, variables and functions stay from command to command.

Each command is evaluated by the same bash, its input empty, its outputs joined; then bash writes a random mark and the
exit status on a descriptor that the command cannot reach. Whatever a command does (an open quote, an unfinished
here-document, `exit`, a program that waits for keys, children in the background) it ends within the limit.
"""

from __future__ import annotations

import secrets
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass

from tasks.swebench.machine import Fault, Machine, Pipe
from tasks.swebench.raw import Raw
from tasks.swebench.screen import Clip, Screen

# Ends a bash and everything that came from it or shares its process group. $1: process id of the bash.
_KILL = r"""
family() {
    found=" $1 "; grew=1
    while [ $grew = 1 ]; do
        grew=0
        for stat in /proc/[0-9]*/stat; do
            read -r line < "$stat" 2>/dev/null || continue
            pid=${line%% *}; rest=${line##*) }
            set -- $rest
            case $found in *" $pid "*) continue ;; esac
            if [ "$3" = "$leader" ]; then found="$found$pid "; grew=1; continue; fi
            case $found in *" $2 "*) found="$found$pid "; grew=1 ;; esac
        done
    done 2>/dev/null
}
leader=$1
family "$leader"
kill -TERM $found 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do
    alive=0
    for pid in $found; do
        read -r line < "/proc/$pid/stat" || continue
        case ${line##*) } in Z*) ;; *) alive=1 ;; esac
    done 2>/dev/null
    [ $alive = 0 ] && exit 0
    sleep 0.1
done
all=$found
family "$leader"
kill -KILL $all $found 2>/dev/null
exit 0
"""
_LOST = "The shell was started anew: its directory, variables and background jobs are lost."


@dataclass(frozen=True, slots=True)
class Said:
    """What came of a command. code: its exit status; None where it was killed, or took the shell with it."""

    text: str
    code: int | None
    size: int  # characters, before anything was left out


class Shell:
    """seconds: of a command. limit: characters of its output. prepare: run at each start, such as to activate an
    environment.
    """

    def __init__(
        self,
        machine: Machine,
        folder: str,
        seconds: float = 120.0,
        limit: int = 100_000,
        prepare: str = ":",
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.machine = machine
        self.folder = folder
        self.seconds = seconds
        self.limit = limit
        self.prepare = prepare
        self.variables = variables or {}
        self._pipe: Pipe | None = None
        self._process = 0

    def run(self, command: str, raw: Raw | None = None) -> Said:
        """raw: gets the bytes as they came. Raises Fault where no shell can be had."""
        pipe = self._pipe or self._start()
        mark = secrets.token_hex(16)
        try:
            pipe.send(
                f"builtin eval {shlex.quote(command)} </dev/null >&200 2>&1 200>&-\n"
                f"builtin printf '\\n%s %s\\n' {mark} $? >&200\n".encode(errors="replace")
            )
        except OSError:
            # It ended between two commands, by a trap or a job of the agent's.
            self._forget()
            pipe = self._start()
            return Said(f"[The shell had ended. {_LOST} The command was not run.]", None, 0)
        clip = Clip(self.limit)
        code, ended = self._follow(pipe, mark.encode(), clip, self.seconds, raw)
        text = clip.text()
        if raw is not None:
            raw.close(text)
        if code is not None:
            return Said(text, code, clip.total)
        if ended:
            why = "The command ended the shell."
        else:
            why = f"The command was killed after {self.seconds:g} seconds."
            self._kill()
        self._forget()
        self._start()
        newline = "" if not text or text.endswith("\n") else "\n"
        return Said(f"{text}{newline}[{why} {_LOST}]", None, clip.total)

    def close(self) -> None:
        if self._pipe is not None:
            self._kill()
            self._forget()

    # ------------------------------------------------------------ the rest

    def _start(self) -> Pipe:
        pipe = self.machine.open(["bash", "--noprofile", "--norc"])
        mark = secrets.token_hex(16)
        exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in self.variables.items())
        pipe.send(
            "exec 200>&1 >/dev/null 2>/dev/null\n"
            f"cd -- {shlex.quote(self.folder)}\n{exports}"
            f"eval {shlex.quote(self.prepare)} </dev/null 200>&-\n"
            f"builtin printf '\\n%s %s\\n' {mark} $$ >&200\n".encode()
        )
        clip = Clip(1000)
        process, _ = self._follow(pipe, mark.encode(), clip, 60.0)
        if process is None:
            pipe.close()
            raise Fault(f"no shell could be started in the container: {clip.text().strip() or 'it said nothing'}")
        self._pipe, self._process = pipe, process
        return pipe

    def _follow(
        self, pipe: Pipe, mark: bytes, clip: Clip, seconds: float, raw: Raw | None = None
    ) -> tuple[int | None, bool]:
        """Read up to the mark: the number after it, None where it did not come; and whether the process has ended."""
        screen, start, held = Screen(), b"\n" + mark + b" ", b""

        def take(data: bytes, last: bool = False) -> None:
            if raw is not None:
                raw.add(data)
            clip.add(screen.feed(data, last))

        deadline = time.monotonic() + seconds
        ended = False
        while (left := deadline - time.monotonic()) > 0:
            data = pipe.read(left)
            if data is None:
                break
            if not data:
                ended = True
                break
            held += data
            at = held.find(start)
            if at >= 0 and (stop := held.find(b"\n", at + len(start))) >= 0:
                take(held[:at], last=True)
                return int(held[at + len(start) : stop]), False
            if at < 0 and (safe := len(held) - len(start)) > 0:
                take(held[:safe])
                held = held[safe:]
        take(held, last=True)
        return None, ended

    def _kill(self) -> None:
        self.machine.run(["bash", "-c", _KILL, "bash", str(self._process)], seconds=30)

    def _forget(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
