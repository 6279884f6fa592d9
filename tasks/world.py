"""The environment of a generated instance: a state machine over its steps, with tools and a checker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.contract import Brief, Call, Event, Message, Schedule, Tool, Turn, Verdict
from tasks.check import verdicts
from tasks.family import Family
from tasks.labels import Labelling
from tasks.pages import Pages
from tasks.plan import Need, Plan
from tasks.shifts import Shifts
from tasks.wording import CANARY, SIGN

_OVER = "The run is over."
SECONDS = 0.5  # simulated time of a call
_SESSION = (
    "This is session {now} of {all}: what earlier sessions said holds on, but their messages are gone."
)
_NUDGE = "Please answer with one call of a tool."


class World:
    """Each call of a tool other than `reread` is one step, right or wrong; answers never say which.

    Coupling 1: a wrong value spoils the work that its step leaves behind. A goal is met only if its values are right
    and none of the steps that it builds on (`Need.base`) is spoiled. Right values given on spoiled work do not count at
    their own step, but mend it: the steps that it builds on, and itself, are sound from then on. So one error costs its
    own goal and the next that builds on it, and more until a right value comes.

    Sessions: a reply that ends a session is answered by acknowledgements alone; what its steps tell opens the next
    history, since nobody would ever see it in the old one.
    """

    def __init__(self, family: Family, plan: Plan, pages: Pages, coupling: int, labelling: Labelling) -> None:
        self.family, self.plan, self.pages, self.coupling, self.labelling = family, plan, pages, coupling, labelling
        self.step_now = 1
        self.met = 0
        self.spoiled: set[int] = set()
        self.shifts = Shifts(family.lexicon.agents, plan.strands)

    def reset(self) -> Turn:
        self.step_now, self.met, self.spoiled = 1, 0, set()
        family, plan = self.family, self.plan
        self.shifts = Shifts(family.lexicon.agents, plan.strands)
        opening = f"{self.pages.opening()}\n\n{self.pages.instruction(1)}"
        return Turn((self.sent(Message("", "user", opening)),), brief=self.brief())

    def brief(self) -> Brief:
        """What the acting agent starts from."""
        family, plan = self.family, self.plan
        words = {"horizon": plan.horizon, "subtasks": plan.subtasks, "agent": self.shifts.acting}
        task, session = family.task.format(**words), plan.session(self.step_now)
        if plan.starts:
            task = f"{task} {_SESSION.format(now=session + 1, all=len(plan.starts) + 1)}"
        return Brief(f"{family.system}\n{CANARY}", task, tools(family), self.shifts.acting, session)

    def sent(self, message: Message, file: bool = False) -> Message:
        """A message as it leaves the environment: with the canary and its labels."""
        if SIGN not in message.content:
            message = replace(message, content=f"{message.content}\n{SIGN}")
        return self.labelling.put(message, file)

    def step(self, reply: Message) -> Turn:
        """Every call is answered, in order; what the user adds and the next instruction come after all answers."""
        answers: list[Message] = []
        added: list[str] = []
        events: list[Event] = []
        ends = self.ends_session(reply.calls)
        for call in reply.calls:
            text, user, judged = self.answer(call, ends)
            answers.append(Message("", "tool", text, answers=call.id))
            added += [user] if user else []
            events += judged
        if not self.done and self.shifts.of(self.step_now) != self.shifts.acting:
            turn = self.hand_over(answers, added, events)
        else:
            turn = self.go_on(answers, added, events)
        files = {call.id for call in reply.calls if call.name == "reread"}
        turn = replace(turn, messages=tuple(self.sent(message, message.answers in files) for message in turn.messages))
        return replace(turn, brief=self.brief(), new_history=True) if ends else turn

    def ends_session(self, calls: Sequence[Call]) -> bool:
        """Whether a session ends with these calls."""
        now = min(self.step_now, self.plan.horizon)
        after = min(now + sum(call.name != "reread" for call in calls), self.plan.horizon)
        return self.plan.session(now) != self.plan.session(after)

    def go_on(self, answers: Sequence[Message], added: list[str], events: Sequence[Event]) -> Turn:
        if not answers:
            added.append(_NUDGE)
        following = _OVER if self.done else self.pages.instruction(self.step_now)
        if added:
            messages = (*answers, Message("", "user", "\n\n".join([*added, following])))
        else:
            *others, last = answers
            messages = (*others, replace(last, content=f"{last.content}\n\n{following}"))
        return Turn(messages, self.done, self.shifts.acting, events=tuple(events), seconds=SECONDS * len(answers))

    def hand_over(self, answers: Sequence[Message], added: Sequence[str], events: Sequence[Event]) -> Turn:
        """The acting agent has its answers; whoever takes over is told what the others found, and what to do."""
        *others, last = answers
        content = "\n".join([last.content, *added])
        new, reported, waiting = self.shifts.change(self.step_now)
        news = self.pages.news(self.step_now, reported)
        came_in = ["This came in for you:", *waiting] if waiting else []
        text = "\n\n".join([*news, *came_in, self.pages.instruction(self.step_now)])
        messages = (*others, replace(last, content=content), Message("", "user", text))
        return Turn(
            messages,
            agent=self.shifts.acting,
            brief=self.brief() if new else None,
            new_history=new,
            events=tuple(events),
            seconds=SECONDS * len(answers),
        )

    @property
    def done(self) -> bool:
        return self.step_now > self.plan.horizon

    def answer(self, call: Call, last: bool) -> tuple[str, str, list[Event]]:
        """Texts of the tool and of the user, and what is to be recorded. last: the session ends with it."""
        if self.done:
            return "There is nothing left to do.", "", []
        if call.name == "reread":
            path = str(call.arguments.get("path", "")).strip()
            text = self.pages.file(path, self.step_now - 1)
            return f"{path}: no such file" if text is None else f"{path}:\n{text}", "", []
        step = self.step_now
        events = self.judge(step, call)
        self.step_now += 1
        if not self.shifts.agents and self.plan.strands.returns(self.step_now):
            detail = {"step": self.step_now, "until": self.plan.strands.end(self.step_now)}
            events.append(Event("returned", {"branch": self.plan.targets[self.step_now], **detail}))
        acknowledged = self.pages.acknowledgement(step, call.name)
        if last:
            return acknowledged, self.pages.opening(step), events
        text, user = self.pages.answer(step)
        if not self.shifts.hears(step):
            self.shifts.keep(step, (text, user))
            return acknowledged, "", events
        return f"{acknowledged}\n{text}", user, events

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
        submitted = call.arguments.get(argument)
        if step in self.plan.reports and asked:
            events += self.shifts.report(step, need.keys, str(submitted).split(need.joint))
        return events + self.lures(need, used, submitted) + self.breaches(need, submitted)

    def sound(self, need: Need) -> bool:
        return not self.coupling or self.spoiled.isdisjoint(need.base)

    def lures(self, need: Need, used: Mapping[str, Verdict], submitted: Any) -> list[Event]:
        """A wrong look-up that gave the value of another key fell for a look-alike."""
        if "wrong" not in used.values() or need.op not in ("value", "join"):
            return []
        given = str(submitted).split(need.joint) if need.joint else [str(submitted)]
        keys = [self.plan.values[v] for v in given if v in self.plan.values and v not in need.parts]
        return [Event("lure", {"step": need.step, "key": key}) for key in keys]

    def breaches(self, need: Need, submitted: Any) -> list[Event]:
        """An action that goes against what was ruled out."""
        ban, given = self.family.lexicon.ban, str(submitted).strip()
        if ban is None or given not in need.barred:
            return []
        return [Event(ban.event, {"step": need.step, "submitted": given})]

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
        for name, argument, description in (*family.phases, *((family.report,) if family.report else ()))
    ]
    made.append(Tool("proceed", "Go on where nothing has to be filled in.", _object({family.target: target})))
    made.append(Tool("reread", "Read a file again. Takes a turn, but is no step.", _object({"path": path}), "retrieve"))
    return tuple(made)


def _object(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
