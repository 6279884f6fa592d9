"""Compressing and forgetting."""

from __future__ import annotations

from dataclasses import replace

import pytest

from strategies.memory.compression import Compression, compressed, text_tokens
from strategies.memory.forgetting import Forgetting, forget, points, tag
from strategies.memory.layers import Layers
from strategies.memory.unit import Unit
from tests.strategies.memories import PLAIN, Asked, layers, lent, said, unit

LINES = [f"store_{n} keeps item k-{n} in row {n} of the long hall" for n in range(40)]
KEEP = Compression(20, True, None)


def events(*lines: str, subtask: str | None = "part 1/9") -> list[Unit]:
    return [
        replace(unit(line, step=n + 1, subtask=subtask, source=f"m{n}"), id=f"u{n}") for n, line in enumerate(lines)
    ]


def results(summary: Unit) -> list[str]:
    text = summary.content.partition("results:\n")[2].partition("open issues:")[0]
    return [line for line in text.split("\n") if line]


def active(memory: Layers, kind: str) -> list[Unit]:
    return [one for one in memory.store.active() if one.kind == kind]


# ---------------------------------------------------------------- compression


def test_the_template_has_its_fields_and_names_the_originals() -> None:
    told = [replace(u, metadata=replace(u.metadata, tools=("scan",), failed=u.id == "u1")) for u in events(*LINES)]
    summary, usable = compressed(told, "fill the hall", lent(), KEEP)
    lines = summary.content.split("\n")
    assert lines[:4] == ["task: part 1/9", "goal: fill the hall", "steps: 1-40", "results:"]
    assert lines[-2:] == ["open issues: step 2 failed", "tools: scan x40"]
    assert summary.metadata.originals == tuple(f"u{n}" for n in range(40)) and usable
    assert summary.metadata.sources == tuple(f"m{n}" for n in range(40))
    assert set(summary.metadata.names) >= {"store_0", "store_9", "k-4"}  # proper nouns stay, to be found by
    assert (summary.layer, summary.kind, summary.level, summary.metadata.until) == (
        "episodic",
        "summary",
        "summary",
        40,
    )


@pytest.mark.parametrize("ratio", [5, 20, 50])
def test_the_ratio_bounds_the_results(ratio: float) -> None:
    kit = lent()
    lines = [f"{line}, hall {hall}" for hall in range(3) for line in LINES]
    summary, usable = compressed(events(*lines), "", kit, Compression(ratio, False, None))
    room = text_tokens(kit, "\n".join(lines)) / ratio
    kept = results(summary)
    assert usable and kept and set(kept) <= set(lines)
    assert text_tokens(kit, "\n".join(kept)) <= room + 1


def test_negated_statements_that_the_compactor_dropped_are_put_back() -> None:
    told = events("never open door_7", *LINES)
    answer = said("store_1 keeps item k-1 in row 1 of the long hall")
    assert "never open door_7" in results(compressed(told, "", lent(Asked(answer)), KEEP)[0])
    kept, _ = compressed(told, "", lent(Asked(answer)), replace(KEEP, keep=False))
    assert "never open door_7" not in results(kept)


def test_the_compactor_is_told_what_stays_and_how_much() -> None:
    ask = Asked()
    compressed(events(*LINES), "", lent(ask), KEEP)
    (request,) = ask.requests
    assert all(word in request.view[0].content for word in ("numbers", "proper nouns", "forbids"))
    assert f"At most {request.max_output} tokens" in request.view[0].content


@pytest.mark.parametrize(
    "answer", [said(""), said("  \n"), said("cut", "length"), said("long " * 400), said("x", "failed")]
)
def test_an_answer_that_will_not_do_is_refused_and_a_pick_takes_its_place(answer) -> None:
    ask = Asked(answer)
    summary, usable = compressed(events(*LINES), "", lent(ask), KEEP)
    assert len(ask.requests) == 2 and not usable
    assert results(summary) and set(results(summary)) <= set(LINES)


def test_no_request_passes_the_compactor_s_window() -> None:
    ask = Asked()
    kit = lent(ask)
    compressed(events(*LINES, "x" * 3000), "", kit, Compression(20, True, 400))
    assert len(ask.requests) > 2
    assert all(kit.count(r.view) + r.max_output <= 400 for r in ask.requests)


def test_what_ends_is_compressed_and_marked() -> None:
    memory = layers(lent(), *events(*LINES[:6]), *events("later_1 is up", subtask="part 2/9"))
    memory.compress([("part 1/9", "aim")], 6)
    assert [one.status for one in memory.store if one.kind == "event"] == ["compressed"] * 6 + ["active"]
    (summary,) = active(memory, "summary")
    assert [memory.store.get(name).content for name in summary.metadata.originals] == LINES[:6]


@pytest.mark.parametrize(
    ("compress_at", "border", "count"),
    [("border", True, False), ("count", False, True), ("both", True, True), ("never", False, False)],
)
def test_when_to_compress(compress_at: str, border: bool, count: bool) -> None:
    def summaries(ended, most: int) -> bool:
        memory = layers(lent(), *events(*LINES[:12]), compress_at=compress_at, most=most)
        memory.compress(ended, 12)
        return bool(active(memory, "summary"))

    assert summaries([("part 1/9", "")], 50) is border
    assert summaries([], 10) is count


def test_over_the_count_the_last_five_steps_stay_as_they_are() -> None:
    memory = layers(lent(), *events(*LINES[:12]), most=10)
    memory.compress([], 12)
    assert [one.content for one in active(memory, "event")] == LINES[7:12]


def test_decisions_are_not_compressed() -> None:
    memory = layers(lent(), *events(*LINES[:6]), unit("I chose a-1 because", "decision", subtask="part 1/9"))
    memory.compress([("part 1/9", "")], 6)
    assert len(active(memory, "decision")) == 1


def test_a_failed_compaction_is_told_as_an_event() -> None:
    kit = lent(Asked(said("")))
    memory = layers(kit, *events(*LINES[:6]))
    memory.compress([("part 1/9", "")], 6)
    assert [(e.kind, e.detail["trigger"]) for e in kit.drain()] == [("compress", "fallback")]


# ---------------------------------------------------------------- forgetting

TIERED = PLAIN.forgetting


def kept(how: Forgetting, *units: Unit, step: int = 30) -> list[str]:
    memory = layers(lent(), *units)
    forget(memory.store, step, how)
    return [one.content for one in memory.store.active()]


def many(kind: str, count: int) -> list[Unit]:
    return [unit(f"{kind} id_{n}", kind, n) for n in range(count)]


def test_goals_for_ever_decisions_and_thoughts_the_newest() -> None:
    told = [*many("goal", 30), *many("decision", 25), *many("reasoning", 8), *many("progress", 9)]
    found = kept(TIERED, *told)
    assert sum("goal" in text for text in found) == 1  # a chain: the former goals are done
    assert [text for text in found if "decision" in text] == [f"decision id_{n}" for n in range(5, 25)]
    assert [text for text in found if "reasoning" in text] == [f"reasoning id_{n}" for n in range(3, 8)]
    assert len([text for text in found if "progress" in text]) == 5
    assert len(kept(TIERED, *many("constraint", 30))) == 30


def test_retention_all_forgets_nothing_and_last_everything_but_the_newest() -> None:
    told = [*many("constraint", 4), *many("event", 4), *many("reasoning", 8)]
    assert len(kept(replace(TIERED, retention="all"), *told)) == 16
    found = kept(replace(TIERED, retention="last", last=5), *told)
    assert [text for text in found if "reasoning" not in text] == [
        "constraint id_3",
        *(f"event id_{n}" for n in range(4)),
    ]


def test_summaries_step_down_to_points_then_to_a_tag() -> None:
    memory = layers(lent(), *events("bay_1 has mode a-1 as it was agreed", "nobody was there at all that day"))
    memory.compress([("part 1/9", "aim")], 2)
    (summary,) = active(memory, "summary")
    assert forget(memory.store, 41, TIERED) == []
    (fewer,) = forget(memory.store, 42, TIERED)
    assert fewer.level == "points" and len(fewer.content) < len(summary.content)
    (tagged,) = forget(memory.store, 82, TIERED)
    assert (tagged.level, tagged.content) == ("tag", "task: part 1/9; steps: 1-2")
    assert tagged.metadata.originals == summary.metadata.originals  # not deleted
    assert forget(memory.store, 200, TIERED) == []


def test_points_are_names_with_values_and_the_fields() -> None:
    fields = "task: part 1\ngoal: x\nsteps: 1-2\nresults:\n"
    summary = f"{fields}bay_1 has mode a-1\nall went well\nopen issues: none\ntools: scan x2"
    assert points(summary) == f"{fields}bay_1/mode = a-1\nopen issues: none"
    assert tag(points(summary)) == "task: part 1; steps: 1-2"
