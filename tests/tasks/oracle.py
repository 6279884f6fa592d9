"""Plays generated tasks with an agent that reads statements and instructions through the grammar."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import yaml
from hypothesis import strategies as st

from harness.contract import Call, Claim, Event, Message, Slot
from tasks.dials import Dials
from tasks.generated import Generated
from tasks.world import World

LAWS = ("uniform", "geometric", "power", "periodic")
CONF = Path(__file__).parents[2] / "conf" / "task"


def _families() -> dict[str, Callable[..., Generated]]:
    """Every family of generated tasks that has a file in conf/task, by name."""
    found = {}
    for path in sorted(CONF.glob("*.yaml")):
        module, _, name = yaml.safe_load(path.read_text())["_target_"].rpartition(".")
        if hasattr(import_module(module), "FAMILY"):
            found[path.stem] = getattr(import_module(module), name)
    return found


FAMILIES = _families()


def evaluate(slot: Slot, claims: Sequence[Claim]) -> str:
    """What `contract.Slot` says, over claims oldest first; what cannot be known is guessed from the keys."""
    keys, stated = slot.keys, [c for c in claims if c.key in slot.keys]
    newest = {c.key: c.value for c in stated}
    first = list(dict.fromkeys(c.key for c in stated))
    last = list(dict.fromkeys(c.key for c in reversed(stated)))
    match slot.op:
        case "value":
            return newest.get(keys[0], slot.default or "unknown")
        case "join":
            return slot.joint.join(newest.get(key, "unknown") for key in keys)
        case "first":
            return (first or keys)[0]
        case "last":
            return (last or keys)[0]
        case "absent":
            return next((key for key in keys if key not in newest), keys[0])
        case "except":
            open_keys = [key for key in keys if newest.get(key) != slot.operand] or keys
            known = [key for key in open_keys if key in newest]
            return (known or [key for key in open_keys if key == slot.default] or open_keys)[0]
        case "count":
            return str(sum(newest.get(key) == slot.operand for key in keys))
        case "sum":
            return str(sum(int(c.value) for c in stated)) if stated else "unknown"


@dataclass
class Run:
    """answers[s]: the messages after step s. orders[s]: the text that holds the instruction of step s."""

    world: World
    answers: list[tuple[Message, ...]]
    orders: list[str] = field(default_factory=lambda: [""])
    events: list[Event] = field(default_factory=list)

    def goals(self) -> dict[int, Event]:
        return {event.detail["step"]: event for event in self.events if event.kind == "goal"}


def play(
    task: Generated,
    number: int = 0,
    seed: int = 0,
    sees: Callable[[int], Sequence[Claim]] | None = None,
    spoil: Callable[[int, str], str] = lambda step, answer: answer,
) -> Run:
    """An episode. sees: the claims that the agent may use at a step, all so far by default. spoil: changes answers."""
    world = task.open(task.instances()[number], seed)
    turn = world.reset()
    run = Run(world, [turn.messages])
    grammar = task.grammar
    assert grammar is not None
    heard: dict[str | None, list[Claim]] = {}  # by agent
    agent = turn.brief.agent if turn.brief else None
    heard[agent] = [c for m in turn.messages for c in grammar.claims(m.content)]
    while not turn.done:
        step, claims = len(run.answers), heard[agent]
        run.orders.append(run.answers[-1][-1].content)
        question = grammar.question(run.orders[-1])
        assert question is not None, run.orders[-1]
        known = claims if sees is None else sees(step)
        arguments = dict(question.fixed)
        for slot in question.slots:
            arguments[slot.argument] = spoil(step, evaluate(slot, known))
        turn = world.step(Message("", "assistant", "", (Call(f"c{step}", question.tool, arguments),)))
        run.answers.append(turn.messages)
        run.events += turn.events
        follows = turn.brief.agent if turn.brief else turn.agent
        for message in turn.messages:
            to = agent if message.role == "tool" else follows
            heard.setdefault(to, []).extend(grammar.claims(message.content))
        agent = follows
    return run


@st.composite
def dials(draw):
    horizon = draw(st.integers(1, 60))
    goal_share = draw(st.floats(0.05, 1.0))
    return Dials(
        horizon=horizon,
        subtasks=draw(st.integers(1, horizon)),
        goal_share=goal_share,
        late=draw(st.floats(0, 1 / goal_share - 1)),
        bans=draw(st.integers(0, 6)),
        ban_steps=draw(st.integers(1, 60)),
        ban_share=draw(st.floats(0, 1)),
        lifted=draw(st.floats(0, 1)),
        suggested=draw(st.floats(0, 1)),
        law=draw(st.sampled_from(LAWS)),
        reach=draw(st.integers(1, 90)),
        mean=draw(st.floats(1.0, 40.0)),
        exponent=draw(st.floats(0.5, 3.0)),
        period=draw(st.integers(1, 20)),
        fan_in=draw(st.integers(2, 5)),
        choices=draw(st.integers(2, 5)),
        chain=draw(st.integers(2, 5)),
        lookalikes=draw(st.integers(0, 3)),
        reuse=draw(st.floats(0, 1)),
        updates=draw(st.floats(0, 1)),
        reread=draw(st.floats(0, 1)),
        crowd=draw(st.integers(1, 20)),
    )
