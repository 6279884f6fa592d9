"""The environment of a generated instance: a state machine over its steps, with tools and a checker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from harness.contract import Brief, Call, Event, Message, Schedule, Tool, Turn, Verdict
from tasks.check import verdicts
from tasks.family import Family
from tasks.pages import Pages
from tasks.plan import Need, Plan
from tasks.wording import CANARY

_OVER = "The run is over."
SECONDS = 0.5  # simulated time of a call
_NUDGE = "Please answer with one call of a tool."


class World:
    """Each call of a tool other than `reread` is one step, right or wrong; answers never say which.

    Coupling 1: a wrong value spoils the work that its step leaves behind. A goal is met only if its values are right
    and none of the steps that it builds on (`Need.base`) is spoiled. Right values given on spoiled work do not count at
    their own step, but mend it: the steps that it builds on, and itself, are sound from then on. So one error costs its
    own goal and the next that builds on it, and more until a right value comes.
    """

    def __init__(self, family: Family, plan: Plan, pages: Pages, coupling: int) -> None:
        self.family, self.plan, self.pages, self.coupling = family, plan, pages, coupling
        self.step_now = 1
        self.met = 0
        self.spoiled: set[int] = set()

    def reset(self) -> Turn:
        self.step_now, self.met, self.spoiled = 1, 0, set()
        family, plan = self.family, self.plan
        words = {"horizon": plan.horizon, "subtasks": plan.subtasks}
        brief = Brief(f"{family.system}\n{CANARY}", family.task.format(**words), tools(family))
        opening = f"{self.pages.opening()}\n\n{self.pages.instruction(1)}"
        return Turn((Message("", "user", opening),), brief=brief)

    def step(self, reply: Message) -> Turn:
        """Every call is answered, in order; what the user adds and the next instruction come after all answers."""
        answers: list[Message] = []
        added: list[str] = []
        events: list[Event] = []
        for call in reply.calls:
            text, user, judged = self.answer(call)
            answers.append(Message("", "tool", text, answers=call.id))
            added += [user] if user else []
            events += judged
        if not reply.calls:
            added.append(_NUDGE)
        following = _OVER if self.done else self.pages.instruction(self.step_now)
        if added:
            messages = (*answers, Message("", "user", "\n\n".join([*added, following])))
        else:
            *others, last = answers
            messages = (*others, replace(last, content=f"{last.content}\n\n{following}"))
        return Turn(messages, done=self.done, events=tuple(events), seconds=SECONDS * len(reply.calls))

    @property
    def done(self) -> bool:
        return self.step_now > self.plan.horizon

    def answer(self, call: Call) -> tuple[str, str, list[Event]]:
        """Texts of the tool and of the user, and what is to be recorded."""
        if self.done:
            return "There is nothing left to do.", "", []
        if call.name == "reread":
            path = str(call.arguments.get("path", "")).strip()
            text = self.pages.file(path, self.step_now - 1)
            return f"{path}: no such file" if text is None else f"{path}:\n{text}", "", []
        step = self.step_now
        events = self.judge(step, call)
        self.step_now += 1
        text, user = self.pages.answer(step)
        return f"{self.pages.acknowledgement(step, call.name)}\n{text}", user, events

    def judge(self, step: int, call: Call) -> list[Event]:
        """Compares the action with what its step needs, and keeps the score."""
        need = self.plan.needs.get(step)
        if need is None:
            return []
        tool, argument = self.pages.phase(step)
        used = verdicts(need, call.arguments.get(argument))
        asked = call.name == tool and call.arguments.get(self.family.target) == self.plan.targets[step]
        right = asked and set(used.values()) == {"right"}
        sound = self.sound(need)
        if right:
            self.spoiled -= {step, *need.base}
        else:
            self.spoiled.add(step)
        met = right and sound
        self.met += met
        events = [Event("goal", {"step": step, "met": met, "used": used})]
        if right and not sound:
            events.append(Event("spoiled", {"step": step, "by": sorted(need.base)}))
        return events + self.lures(need, used, call.arguments.get(argument))

    def sound(self, need: Need) -> bool:
        return not self.coupling or self.spoiled.isdisjoint(need.base)

    def lures(self, need: Need, used: Mapping[str, Verdict], submitted: Any) -> list[Event]:
        """A wrong look-up that gave the value of another key fell for a look-alike."""
        if "wrong" not in used.values() or need.op not in ("value", "join"):
            return []
        given = str(submitted).split(need.joint) if need.joint else [str(submitted)]
        keys = [self.plan.values[v] for v in given if v in self.plan.values and v not in need.parts]
        return [Event("lure", {"step": need.step, "key": key}) for key in keys]

    def schedule(self) -> Schedule:
        return self.plan.schedule

    def score(self) -> Mapping[str, float]:
        goals = len(self.plan.needs)
        return {"success": self.met / goals} if goals else {}

    def close(self) -> None:
        pass


def tools(family: Family) -> tuple[Tool, ...]:
    target = {"type": "string", "description": f"the {family.target} that the instruction names"}
    path = {
        "type": "string",
        "pattern": rf"^{family.lexicon.folder}/[a-z]+_[0-9]+(\.[a-z]+)?$",
        "description": "a path that an instruction names",
    }
    made = [
        Tool(name, description, _object({family.target: target, argument: {"type": "string"}}))
        for name, argument, description in family.phases
    ]
    made.append(Tool("proceed", "Go on where nothing has to be filled in.", _object({family.target: target})))
    made.append(Tool("reread", "Read a file again. Takes a turn, but is no step.", _object({"path": path}), "retrieve"))
    return tuple(made)


def _object(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
