"""What the agents of an episode share, and calls that stand in the text of a reply."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.contract import Call, Entry, History, Message
from harness.record import load
from harness.remote.kit import RemoteShared
from harness.remote.strategy import _shared
from harness.shared import SharedStore, snapshot
from tests.machine.arms import Notebook, Whole
from tests.machine.toy import OPEN, Lines, Stage, act, answered, finished, play, said

WRITES = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.integers(0, 3)))


def test_the_newest_wins_and_a_write_over_an_unknown_version_is_a_conflict() -> None:
    entries: dict[str, Entry] = {}
    ada, bob = SharedStore(entries, "ada"), SharedStore(entries, "bob")
    assert ada.put("k", "1", 0) == Entry("1", 1, "ada")
    assert bob.put("k", "2", 1) == Entry("2", 2, "bob")
    assert ada.put("k", "3", 1) == Entry("3", 3, "ada", conflict=True)
    assert bob.get("k") == Entry("3", 3, "ada", conflict=True)
    assert (bob.get("other"), bob.keys()) == (None, ("k",))


@given(WRITES)
def test_versions_count_the_writes_of_a_key_in_any_order(writes: list[tuple[str, str, int]]) -> None:
    entries: dict[str, Entry] = {}
    count: dict[str, int] = {}
    for agent, key, base in writes:
        before = count.get(key, 0)
        entry = SharedStore(entries, agent).put(key, f"{agent}{base}", base)
        count[key] = before + 1
        assert entry == Entry(f"{agent}{base}", before + 1, agent, base != before)
    assert {key: entry.version for key, entry in entries.items()} == count


@given(WRITES)
def test_a_strategy_in_another_process_shares_the_same(writes: list[tuple[str, str, int]]) -> None:
    near = SharedStore({}, "a")
    there = SharedStore({}, "a")
    far = RemoteShared(lambda frame: _shared(there, frame["do"], frame["words"]))
    for _, key, base in writes:
        assert far.get(key) == near.get(key)
        assert far.put(key, "v", base) == near.put(key, "v", base)
    assert far.keys() == near.keys()


def test_a_fork_writes_into_a_copy() -> None:
    entries = {"k": Entry("1", 1, "ada")}
    SharedStore(snapshot(entries), "ada").put("k", "2", 1)
    assert entries == {"k": Entry("1", 1, "ada")}


def test_agents_of_an_episode_share_and_a_later_checkpoint_knows_more(tmp_path: Path) -> None:
    class Board(Whole):
        def reset(self, kit: Any, brief: Any, saved: bytes | None = None) -> None:
            self.kit = kit

        def compose(self, history: History, budget: int) -> Sequence[Message]:
            held = self.kit.shared.get("turns")
            self.kit.shared.put("turns", str(len(history)), held.version if held else 0)
            return list(history)

    stage, lines = Stage(OPEN, answered, answered, finished), Lines(said("go", act()))
    _, episode = play(tmp_path / "e.jsonl", stage, lines, Board, checkpoints=(1, 2))
    assert [export.entries["turns"].version for export in episode.exports.values()] == [1, 2]


class Texts(Notebook):
    """A notebook whose tool can be asked for in a reply's text."""

    def calls_in(self, text: str) -> list[Call]:
        wanted = [Call("", "recall", {"handle": "n0"}), Call("", "act", {"value": "v9"})]
        return wanted if "[RETRIEVE: n0]" in text else []


def test_a_call_in_the_text_of_a_reply_is_answered_as_a_native_one(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    replies = Lines(said("one", act()), said("I need [RETRIEVE: n0]"), said("two [RETRIEVE: n0]", act()))
    play(path, Stage(OPEN, answered, finished), replies, lambda: Texts(keep=1))
    messages = load(path).segments[0].messages
    made = [(call.name, dict(call.arguments)) for message in messages for call in message.calls]
    # the environment's own tool cannot be called so, and a reply that calls natively only quotes
    assert made == [("act", {"value": "v1"}), ("recall", {"handle": "n0"}), ("act", {"value": "v1"})]
    assert [m.author for m in messages if m.role == "tool"] == [None, "memory", None]
