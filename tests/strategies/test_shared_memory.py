"""Several agents: goal and rules shared, process private, results merged."""

from __future__ import annotations

import itertools
import json

import pytest

from harness.contract import Brief, Call, Message
from harness.history import History
from harness.kit import EpisodeKit
from harness.shared import Entries, snapshot
from strategies.memory.bindings import Binding
from strategies.memory.board import RESULT, Board
from strategies.shared_memory import SharedMemory
from tests.strategies.memories import Alike, acted, lent, order

WORDS = Alike("red", "bay_1")
TASK = "You are {}. The team writes the report; all share this goal."


def value(of: str, **fields: str) -> list[Binding]:
    return [Binding(f"{of}/{name}", text, False) for name, text in fields.items()]


def record(entries: Entries, of: str) -> dict[str, str]:
    return json.loads(entries[RESULT + of].value)


# ---------------------------------------------------------------- the board

Step = tuple[str, str]


def interleavings() -> list[tuple[Step, ...]]:
    """All orders in which two agents look and write, each looking before it writes."""
    steps = [("ada", "look"), ("ada", "write"), ("bo", "look"), ("bo", "write")]
    orders = itertools.permutations(steps)
    return [o for o in orders if all(o.index((a, "look")) < o.index((a, "write")) for a in ("ada", "bo"))]


@pytest.mark.parametrize("steps", interleavings(), ids=lambda steps: "-".join(f"{a}.{b}" for a, b in steps))
def test_in_every_order_the_newest_wins_no_field_is_lost_and_conflicts_are_known(steps: tuple[Step, ...]) -> None:
    entries: Entries = {}
    kits = {agent: lent(entries=entries, agent=agent) for agent in ("ada", "bo")}
    boards = {agent: Board(kit, agent) for agent, kit in kits.items()}
    writes = {"ada": value("bay_1", mode="a-1", left="l-1"), "bo": value("bay_1", mode="b-2", right="r-2")}
    for agent, step in steps:
        if step == "look":
            boards[agent].look()
        else:
            boards[agent].merge(writes[agent], ["m1"])
    last = [agent for agent, step in steps if step == "write"][-1]
    assert record(entries, "bay_1") == {"mode": {"ada": "a-1", "bo": "b-2"}[last], "left": "l-1", "right": "r-2"}
    assert entries[RESULT + "bay_1"].version == 2 and entries[RESULT + "bay_1"].author == last
    first_write = next(n for n, (_, step) in enumerate(steps) if step == "write")
    blind = steps.index((last, "look")) < first_write
    conflicts = [(e.kind, e.detail["trigger"]) for kit in kits.values() for e in kit.drain()]
    assert conflicts == ([("conflict", "bay_1")] if blind else [])


def test_an_agent_sees_what_others_wrote_once_and_never_its_own() -> None:
    entries: Entries = {}
    ada, bo = (Board(lent(entries=entries, agent=name), name) for name in ("ada", "bo"))
    ada.merge(value("bay_1", mode="a-1"), [])
    assert [(told.author, told.of, told.text) for told in bo.look()] == [("ada", "bay_1", "bay_1/mode = a-1")]
    assert bo.look() == [] == ada.look()
    ada.merge(value("bay_1", mode="a-1"), [])  # nothing new
    assert bo.look() == [] and entries[RESULT + "bay_1"].version == 1


# ---------------------------------------------------------------- the strategy


class Team:
    """Agents with a history, a kit and a strategy each, and the entries that they share."""

    def __init__(self, *agents: str, **settings: object) -> None:
        self.entries: Entries = {}
        self.kits: dict[str, EpisodeKit] = {}
        self.histories: dict[str, History] = {}
        self.arms: dict[str, SharedMemory] = {}
        self.step = 0
        for agent in agents:
            self.kits[agent] = lent(embedder=WORDS, entries=self.entries, agent=agent)
            self.histories[agent] = History()
            self.histories[agent].begin(self.brief(agent))
            self.arms[agent] = SharedMemory(**settings)  # type: ignore[arg-type]
            self.arms[agent].reset(self.kits[agent], self.brief(agent))

    @staticmethod
    def brief(agent: str) -> Brief:
        return Brief("You are an agent.", TASK.format(agent), (), agent)

    def told(self, agent: str, text: str, part: int = 1, user: bool = False, says: str = "x") -> str:
        """An action, one more message for the agent, then its view: the text that its strategy made."""
        history = self.histories[agent]
        self.step += 1
        words = order(self.step, part, "Say the red mode of bay_1")
        if user:
            history.append(Message("", "user", text + words))
        else:
            call, answer = acted(self.step, text + words, Call(f"c{self.step}", "report", {"mode": says}))
            history.append(call)
            history.append(answer)
        self.view = self.arms[agent].compose(history, 4000)
        return "\n".join(message.content for message in self.view if message.sources)


def found_out(team: Team, agent: str, mode: str) -> None:
    """The agent is told the mode of bay_1, is asked for it, and gives it."""
    team.told(agent, f"red bay_1 has mode {mode}\nred bay_1 has left l-{mode}")
    team.told(agent, "x", says=f"{mode}|z-9")


def test_results_of_one_agent_are_found_by_the_other_with_their_author() -> None:
    team = Team("ada", "bo")
    found_out(team, "ada", "a-1")
    assert record(team.entries, "bay_1") == {"mode": "a-1"}
    assert "bay_1/mode = a-1" in team.told("bo", "hello", user=True)
    assert "from ada" in "\n".join(message.content for message in team.view)
    assert all(source in {m.id for m in team.histories["bo"]} for message in team.view for source in message.sources)


def test_what_was_told_and_not_used_stays_private_and_so_does_the_process() -> None:
    team = Team("ada", "bo")
    found_out(team, "ada", "a-1")
    team.told("ada", "red hall_2 has mode c-3", says="b-7")
    text = team.told("bo", "hello", user=True)
    assert "l-a-1" not in text and "hall_2" not in text and "report(" not in text
    assert set(team.entries) == {"goal", RESULT + "bay_1"}


@pytest.mark.parametrize("changed", [{"results": "off"}, {"results": "subtask"}])
def test_when_results_are_shared(changed: dict[str, object]) -> None:
    team = Team("ada", "bo", **changed)
    found_out(team, "ada", "a-1")
    assert "a-1" not in team.told("bo", "hello", user=True)
    team.told("ada", "x", part=2)  # the subtask has ended
    assert ("a-1" in team.told("bo", "x")) is (changed["results"] == "subtask")


def test_what_an_agent_knows_is_no_news() -> None:
    team = Team("ada", "bo")
    found_out(team, "ada", "a-1")
    team.told("bo", "red bay_1 has mode a-1")
    assert "from ada" not in team.told("bo", "x")
    team.told("ada", "red bay_1 has left l-9")
    team.told("ada", "x", says="l-9")
    text = team.told("bo", "x")
    assert "bay_1/left = l-9" in text and "bay_1/mode = a-1" not in text


def test_the_newest_version_of_a_record_takes_the_place_of_the_last() -> None:
    team = Team("ada", "bo")
    found_out(team, "ada", "a-1")
    team.told("bo", "x")
    found_out(team, "ada", "b-2")
    text = team.told("bo", "x")
    assert "bay_1/mode = b-2" in text and "a-1" not in text


def test_rules_and_goal_are_forced_into_every_agent_s_view() -> None:
    team = Team("ada", "bo")
    team.told("ada", "Never open door_7.", user=True)
    text = team.told("bo", "hello", user=True)
    assert "- ada: Never open door_7." in text
    assert "You are ada" not in text  # what is said of the agent itself is its own
    assert team.entries["goal"].value == "The team writes the report; all share this goal."
    apart = Team("ada", "bo", rules=False)
    apart.told("ada", "Never open door_7.", user=True)
    assert "door_7" not in apart.told("bo", "hello", user=True)
    assert "goal" not in apart.entries


def test_a_goal_that_one_s_own_task_lacks_is_shown() -> None:
    team = Team("ada", "bo")
    team.entries["goal"] = lent(entries={}, agent="ada").shared.put("goal", "The report is due in the evening.", 0)
    assert "- ada: The report is due in the evening." in team.told("bo", "hello", user=True)


def test_a_saved_state_shares_nothing_twice_and_gives_the_same_view() -> None:
    team = Team("ada", "bo")
    found_out(team, "ada", "a-1")
    found_out(team, "bo", "b-2")
    team.told("ada", "x")
    saved, shared = team.arms["ada"].export(), snapshot(team.entries)
    fork = SharedMemory()
    fork.reset(lent(embedder=WORDS, entries=shared, agent="ada"), team.brief("ada"), saved)
    assert list(fork.compose(team.histories["ada"], 4000)) == list(team.view)
    assert shared == team.entries


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="results='all'"):
        Team("ada", results="all")
