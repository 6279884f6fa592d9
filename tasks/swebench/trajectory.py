"""An agent that does in a container what a recorded one did, and notes how far the answers are the recorded ones.

Each command runs in a shell of its own, as in the recorded runs (mini-swe-agent and its like); what the container then
shows stands in the history. A step's event "observed" says how it compares with the record.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from harness.contract import Call, Environment, Model, Task
from tasks import formats
from tasks.formats import files
from tasks.formats.run import BASH, MISSING, Run
from tasks.swebench.agents import Script
from tasks.swebench.workbench import Workbench

# What differs between two runs of the same command and says nothing: addresses, times, durations, temporary names.
_PASSING = re.compile(
    r"0x[0-9a-fA-F]{4,}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*|\b\d\d:\d\d:\d\d\b|\b\d+\.\d+ ?s(?:ec(?:onds)?)?\b|"
    r"/tmp/[\w./-]+|[A-Z][a-z]{2} +\d+ +(?:\d\d:\d\d|\d{4})\b"
)
_CODE = re.compile(r"<returncode>(-?\d+)</returncode>")
_OUTPUT = re.compile(r"<output>\n?(.*?)\n?</output>", re.DOTALL)
_CUT = re.compile(r"<output_head>|<warning>|characters (?:elided|left out)")
_STATUS = re.compile(r"\n?\[exit status \d+\]\Z")


@dataclass(frozen=True, slots=True)
class Trajectories:
    """path: a file or a folder of recorded runs. format: one of docs/recorded-runs.md, or auto."""

    speaks: ClassVar[bool] = False

    path: str
    format: str = "auto"

    def check(self) -> None:
        """Raise ValueError where there is no run."""
        try:
            self._runs()
        except OSError as error:
            raise ValueError(f"path={self.path}: {error}") from error

    def open(self, task: Task, environment: Environment, seed: int) -> Model:
        """Raises ValueError where the instance has no recorded run."""
        if not isinstance(environment, Workbench):
            kind = type(environment).__name__
            raise ValueError(f"model=trajectory plays in no {kind}: it needs task=swebench, unchained")
        bench = environment
        runs = self._runs()
        if bench.row.id not in runs:
            raise ValueError(f"model.path={self.path}: no recorded run of {bench.row.id}; there are {', '.join(runs)}")
        commands = played(runs[bench.row.id])
        bench.expected = [partial(compared, answer) for _, _, answer in commands]
        folder = bench.terms.folder
        acts = [(text, Call("", "bash", {"command": alone(command, folder)})) for text, command, _ in commands]
        acts.append(("The recorded run ends here.", Call("", "submit", {})))
        return Script(bench, lambda _: acts)

    def _runs(self) -> dict[str, Run]:
        found: dict[str, Run] = {}
        for name, data in files.records(self.path):
            given = data.get("instance_id") if isinstance(data, Mapping) else None
            run = formats.read(data, str(given or name), self.format)
            found.setdefault(run.id, run)
        return found


def played(run: Run) -> list[tuple[str, str, str]]:
    """(text of the reply, command, recorded answer) of each command that the recorded agent ran."""
    return [
        (turn.reply.message.content, str(call.arguments["command"]), answer)
        for turn in run.turns
        for call, answer in zip(turn.reply.message.calls, turn.answers, strict=True)
        if call.name == BASH.name and str(call.arguments.get("command", "")).strip()
    ]


def alone(command: str, folder: str) -> str:
    """The command in a shell of its own, begun in the folder."""
    return f"(cd {shlex.quote(folder)} && exec bash -c {shlex.quote(command)})"


def compared(recorded: str, text: str, code: int | None) -> dict[str, object]:
    """How an answer compares with the recorded one.

    same: exact; alike, but for addresses, times and the like; head, where the record was cut and its beginning is
    alike; no. code: whether the exit status is the recorded one; None where none was recorded.
    """
    status = _CODE.search(recorded)
    output = _OUTPUT.search(recorded)
    then = output.group(1) if output else _CODE.sub("", recorded).strip("\n")
    now = _STATUS.sub("", text)
    now = "" if now == "(no output)" else now
    same_code = None if status is None else int(status.group(1)) == code
    if recorded == MISSING:
        return {"same": "not recorded", "code": None}
    if then.strip() == now.strip():
        return {"same": "exact", "code": same_code}
    if _plain(then) == _plain(now):
        return {"same": "alike", "code": same_code}
    if _CUT.search(recorded):
        head = _plain(re.split(r"<output_head>\n?", recorded)[-1].split("</output_head>")[0])[:2000]
        return {"same": "head" if head and _plain(now).startswith(head) else "no", "code": same_code}
    return {"same": "no", "code": same_code}


def _plain(text: str) -> str:
    return " ".join(_PASSING.sub("*", text).split())
