"""The control that keeps id-like strings."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from strategies.regex import ID_LIKE, Regex
from tests.conformance.laws import play, whole
from tests.conformance.scripts import Script, acts, rounds


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Read the file, then stop.", []),
        ("open src/app/main.py now", ["src/app/main.py"]),
        ("see /etc/hosts, ../a.py and s3://b/k1.", ["/etc/hosts", "../a.py", "s3://b/k1"]),
        ("DEFAULT_MODE or fileName; KeyError is one hump", ["DEFAULT_MODE", "fileName", "KeyError"]),
        ("order ORD-2231 costs 17.5 in v10", ["ORD-2231", "17.5", "v10"]),
        ("名前 は 値7", ["値7"]),
    ],
)
def test_what_is_id_like(text: str, found: list[str]) -> None:
    assert re.findall(ID_LIKE, text) == found


def test_the_search_is_linear() -> None:
    started = time.process_time()
    for text in ("a" * 200_000, "." * 200_000, "_" * 200_000, "a." * 100_000, "aB" * 100_000, "a-" * 100_000 + "!"):
        re.findall(ID_LIKE, text)
    assert time.process_time() - started < 2


def told(*answers: str) -> Script:
    return Script("task", ((), *(acts("", answer, first=n) for n, answer in enumerate(answers))))


def listed(strategy: Regex, script: Script, budget: int) -> list[list[str]]:
    made = [[m for m in turn.view if m.sources] for turn in play(strategy, script, budget)]
    return [messages[0].content.split("\n") if messages else [] for messages in made]


def test_strings_of_what_left_newest_first_each_once() -> None:
    script = told("id_1 and id_2", "id_3", "id_1 again", "x", "y")
    found = listed(Regex(pattern=r"id_\d"), script, whole(script))
    assert found == [
        [],
        [],
        ["id_2", "id_1"],
        ["id_3", "id_2", "id_1"],
        ["id_1", "id_3", "id_2"],
        ["id_1", "id_3", "id_2"],
    ]


def test_the_newest_turn_stays_whole_and_the_list_follows_the_task() -> None:
    script = told("id_1", "id_2", "id_3")
    view = list(play(Regex(), script, whole(script)))[-1].view
    assert [message.id for message in view[:2]] == ["m0", "m1"]
    assert view[2].role == "user"
    assert view[2].sources == ("m2", "m3", "m4", "m5")
    assert [message.id for message in view[3:]] == ["m6", "m7"]


def test_a_full_list_loses_its_oldest_strings() -> None:
    script = Script("task", ((), *rounds(60)))
    budget = 150
    last = listed(Regex(pattern=r"value_\d+"), script, budget)[-1]
    assert 5 < len(last) < 58
    assert last == [f"value_{58 - n:03d}" for n in range(len(last))]


def test_low_water_cuts_the_list_deeper() -> None:
    script = Script("task", ((), *rounds(60)))
    shorter = [len(found) for found in listed(Regex(pattern=r"value_\d+", low_water=0.6), script, 150)]
    longer = [len(found) for found in listed(Regex(pattern=r"value_\d+"), script, 150)]
    assert max(shorter) == max(longer)
    assert min(shorter[20:]) < min(longer[20:]) - 3


def test_each_change_of_the_list_is_a_write() -> None:
    script = told("id_1", "id_2", "no", "no")
    written = [
        [e.detail["sources"] for e in turn.events if e.kind == "write"] for turn in play(Regex(), script, whole(script))
    ]
    # Calls hold names as well (f0.py), so each turn that leaves adds to the list.
    assert written == [[], [], [["m2", "m3"]], [["m2", "m3", "m4", "m5"]], [["m2", "m3", "m4", "m5", "m6"]]]


def test_the_file_s_pattern_is_the_default() -> None:
    file = Path(__file__).parents[2] / "conf" / "strategy" / "regex.yaml"
    assert OmegaConf.load(file).pattern == ID_LIKE
