"""One episode on one issue: the environment behind the tools.

The container begins with the first action, so that a plan costs none. Each step notes the exit status of its calls and
the digest of the work tree: a resumed episode does the same actions again and compares these.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from harness.contract import Brief, Call, Event, Message, Schedule, Turn
from tasks.swebench import prompts
from tasks.swebench.editor import Editor
from tasks.swebench.machine import Machine
from tasks.swebench.named import files
from tasks.swebench.raw import Raw
from tasks.swebench.repository import Repository
from tasks.swebench.rows import Row
from tasks.swebench.shell import Shell
from tasks.swebench.tools import tools


class Box(Machine, Protocol):
    """A machine of one's own, that goes when it is closed."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Terms:
    """seconds: of a command. limit: characters of an answer. prepare: command at each start of the shell.

    patch_at: steps at which the patch as it stands is kept as well. own: a folder for settings of the harness.
    """

    folder: str = "/testbed"
    seconds: float = 120.0
    limit: int = 100_000
    prepare: str = ":"
    patch_at: tuple[int, ...] = ()
    own: str = "/tmp/.longhaul"


VARIABLES = {"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat", "TERM": "dumb", "PIP_PROGRESS_BAR": "off",
             "TQDM_DISABLE": "1", "PYTHONDONTWRITEBYTECODE": "1"}  # fmt: skip


@dataclass(slots=True)
class Workbench:
    """expected: compares what each action shows with what a recorded agent saw; set by the agent that plays it."""

    row: Row
    terms: Terms
    start: Callable[[], Box]
    volatile: bool = True
    expected: Sequence[Callable[[str, int | None], Mapping[str, object]]] = ()
    steps: int = 0
    submitted: bool = False
    _box: Box | None = None
    _kept: dict[str, str] = field(default_factory=dict)
    _final: str = ""  # the patch that was handed in
    _raw: Path | None = None  # where output is kept as it came

    @property
    def bench(self) -> Workbench:
        """Itself; a chain's is that of its current issue."""
        return self

    def keep_raw(self, folder: str) -> None:
        """STEP.gz for each command of which the agent was shown less, or other, than it printed."""
        self._raw = Path(folder)

    def reset(self) -> Turn:
        self.close()
        if self._raw is not None:  # a resumed episode prints all of it again
            shutil.rmtree(self._raw, ignore_errors=True)
        self.steps, self.submitted, self._kept, self._final = 0, False, {}, ""
        task = prompts.TASK.format(repo=self.row.repo, folder=self.terms.folder, issue=self.row.issue.strip())
        return Turn(brief=Brief(prompts.SYSTEM, task, tools(self.terms.seconds, self.terms.limit)))

    def step(self, reply: Message) -> Turn:
        if not reply.calls:
            return Turn((Message("", "user", "Call a tool, or call submit if you are done."),))
        self._opened()
        started = time.perf_counter()
        answers: list[Message] = []
        codes: list[int | None] = []
        events: list[Event] = []
        for call in reply.calls:
            if self.submitted:
                text, code = "error: the task had ended before this call.", None
            else:
                text, code = self._done(call)
            self.steps += 1
            answers.append(Message("", "tool", text, answers=call.id))
            codes.append(code)
            if named := files(call.arguments, self.terms.folder, self._known):
                events.append(Event("files", {"step": self.steps, "named": named}))
            if self.steps <= len(self.expected):
                seen = self.expected[self.steps - 1](text, code)
                events.append(Event("observed", {"step": self.steps, **seen}))
            if self.steps in self.terms.patch_at:
                self._kept[f"patch@{self.steps}"] = self._repository.patch()
        ran = Event("ran", {"step": self.steps, "codes": codes, "tree": self._repository.digest()})
        took = round(time.perf_counter() - started, 3)
        if self.submitted:
            self._final = self._repository.patch()
            events.append(Event("submitted", {"step": self.steps}))
        return Turn(tuple(answers), done=self.submitted, events=(ran, *events), seconds=took)

    def schedule(self) -> Schedule | None:
        """None: what will be needed is found in the history."""
        return None

    def left(self) -> Mapping[str, str]:
        """{"patch": what changed, "patch@STEP": what had changed by then}, also of an episode that a limit ended."""
        patch = self._final if self._box is None else self._repository.patch()
        return {"patch": patch, **self._kept}

    def score(self) -> Mapping[str, float]:
        """submitted: 1 or 0. applies: whether the patch applies to a clean tree; not there for an empty one."""
        found = {"submitted": float(self.submitted)}
        if self._box is not None and (patch := self._repository.patch()):
            found["applies"] = float(self._repository.applies(patch))
        return found

    def close(self) -> None:
        if self._box is not None:
            self._shell.close()
            self._box.close()
            self._box = None

    # ------------------------------------------------------------ the rest

    _shell: Shell = field(init=False)
    _editor: Editor = field(init=False)
    _repository: Repository = field(init=False)
    _known: frozenset[str] = field(init=False)

    def _opened(self) -> None:
        if self._box is not None:
            return
        terms, self._box = self.terms, self.start()
        self._repository = Repository(self._box, terms.folder, self.row.base_commit, terms.own)
        self._repository.prepare()
        self._known = self._repository.files()
        self._shell = Shell(self._box, terms.folder, terms.seconds, terms.limit, terms.prepare, VARIABLES)
        self._editor = Editor(self._box, terms.limit)

    def _done(self, call: Call) -> tuple[str, int | None]:
        if call.name == "submit":
            self.submitted = True
            return "The changes were handed in.", 0
        if call.name == "bash":
            raw = Raw(self._raw / f"{self.steps + 1}.gz") if self._raw is not None else None
            said = self._shell.run(str(call.arguments["command"]), raw)
            text = said.text or "(no output)"
            return (text if not said.code else f"{text.rstrip()}\n[exit status {said.code}]"), said.code
        text, done = self._editor.run(call.arguments)
        return text, 0 if done else 1
