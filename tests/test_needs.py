"""Needs in a history (docs/needs.md): seen first in the task or an observation; not coined, protocol or trivial."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.contract import Call, Message
from harness.needs import find
from harness.needs_report import Score, by_distance, digest, score


def history(*steps, task="Fix it.", system="Act."):
    """Steps are (command, observation) or (reasoning, command, observation); a command may be a tuple of commands."""
    messages = [Message("m0", "system", system), Message("m1", "user", task)]
    for number, step in enumerate(steps):
        thought, commands, seen = step if len(step) == 3 else ("", *step)
        commands = commands if isinstance(commands, tuple) else (commands,)
        seen = seen if isinstance(seen, tuple) else (seen,)
        calls = tuple(Call(f"{number}.{i}", "bash", {"command": c}) for i, c in enumerate(commands))
        messages.append(Message("", "assistant", thought, calls))
        messages += [Message("", "tool", s, answers=c.id) for c, s in zip(calls, seen, strict=True)]
    return messages


def needed(*steps, **opening):
    return [(need.step, need.value) for need in find(history(*steps, **opening))]


def test_a_need_tells_where_the_value_was_seen_first_and_how_long_ago():
    found = find(history(("ls", "core/storage.py"), ("ls core", "core/storage.py"), ("cat core/storage.py", "")))
    assert [(n.step, n.message, n.value, n.kind, n.first, n.stated, n.distance) for n in found] == [
        (3, 6, "core/storage.py", "path", 3, 1, 2)
    ]


def test_the_task_message_states_at_step_0():
    (need,) = find(history(("ls", ""), ("grep upload_mode", ""), task="The upload_mode is wrong."))
    assert (need.value, need.first, need.stated, need.step, need.distance) == ("upload_mode", 1, 0, 2, 2)


@pytest.mark.parametrize(
    "steps",
    [
        (("echo x > made_up.py", "made_up.py written"), ("cat made_up.py", "x")),
        (("I will call it made_up.py.", "ls", "made_up.py"), ("cat made_up.py", "x")),
        (("cat made_up.py", "no such file"),),
    ],
)
def test_what_the_agent_wrote_first_it_coined(steps):
    assert needed(*steps) == []


def test_reasoning_about_a_value_that_was_seen_before_coins_nothing():
    steps = ("ls", "core/storage.py"), ("I open core/storage.py.", "cat core/storage.py", "")
    assert needed(*steps) == [(2, "core/storage.py")]


def test_system_text_and_what_frames_the_task_are_protocol():
    framed = "<pr_description>\nThe upload_mode is wrong.\n</pr_description>\nRun `sed -i filename.py`, set MY_ENV_VAR."
    action = ("cat filename.py; echo MY_ENV_VAR upload_mode submit_now", "")
    assert needed(action, task=framed, system="Use submit_now.") == [(1, "upload_mode")]
    assert (1, "filename.py") in needed(action, task=framed.replace("pr_description", "b"))


def test_a_value_must_be_seen_whole():
    assert needed(("ls", "core/storage.pyc my_upload_mode upload_mode2"), ("cat core/storage.py upload_mode", "")) == []
    assert needed(("ls", "lib/core/storage.py:3"), ("cat core/storage.py", "")) == [(2, "core/storage.py")]


def test_of_a_dotted_name_that_was_not_seen_the_longest_parts_seen_count():
    steps = ("ls", "from conf.settings import DEFAULT_MODE"), ("print(conf.settings.DEFAULT_MODE)", "")
    assert needed(*steps) == [(2, "conf.settings"), (2, "DEFAULT_MODE")]
    steps = ("ls", "x.settings.DEFAULT_MODE"), ("print(settings.DEFAULT_MODE)", "")
    assert needed(*steps) == [(2, "settings.DEFAULT_MODE")]


def test_values_inside_a_longer_value_that_counts_are_not_counted_again():
    steps = ("ls", "core/storage.py"), ("cd core && cat storage.py && cat core/storage.py", "")
    assert needed(*steps) == [(2, "core/storage.py")]


def test_a_phrase_counts_when_seen_word_for_word_and_so_do_the_values_inside():
    steps = ("ls", "class FileStorage(Storage):"), ("grep 'class FileStorage' 'FileStorage class'", "")
    assert needed(*steps) == [(2, "FileStorage"), (2, "class FileStorage")]


def test_values_in_over_30_percent_of_the_observations_are_trivial_from_the_tenth_on():
    steps = [("ls", "core/storage.py" if i < 4 else "nothing") for i in range(10)]
    assert needed(*steps[:9], ("cat core/storage.py", "")) == [(10, "core/storage.py")]
    assert needed(*steps, ("cat core/storage.py", "")) == []
    assert needed(*steps[1:], ("ls", ""), ("cat core/storage.py", "")) == [(11, "core/storage.py")]


def test_parallel_calls_are_steps_of_their_own():
    steps = (
        (("ls", "id"), ("core/storage.py", "the upload_mode")),
        (("cat core/storage.py", "grep upload_mode"), ("", "")),
    )
    found = find(history(*steps))
    assert [(n.step, n.message, n.value, n.stated) for n in found] == [
        (3, 5, "core/storage.py", 1),
        (4, 5, "upload_mode", 2),
    ]


def test_a_refused_message_has_no_action():
    assert needed(("ls", "core/storage.py"), ("I would cat core/storage.py", "", "EXACTLY ONE action")) == []


def test_a_part_of_a_history_is_refused():
    with pytest.raises(ValueError, match=r"starts with \['assistant', 'tool'\]"):
        find(history(("ls", ""))[2:])


words = st.sampled_from(
    ["core/a.py", "b_c", "FileStorage", "x.y_z", "plain", "'two words'", "two words", "\n", "s/a_b/c_d/"]
)
texts = st.lists(words, max_size=6).map(" ".join)


@given(st.lists(st.tuples(texts, texts, texts), max_size=14), texts)
def test_needs_are_earlier_texts_values_and_depend_on_no_later_message(steps, task):
    messages = history(*steps, task=task)
    found = find(messages)
    for need in found:
        assert need.first < need.message
        assert need.distance >= 1
        assert need.value in messages[need.first].content
        assert messages[need.first].role in ("user", "tool")
        assert need.value in messages[need.message].calls[0].arguments["command"]
    for end in range(2, len(messages), 2):
        assert find(messages[:end]) == tuple(need for need in found if need.message < end)


def test_a_long_run_takes_a_fraction_of_a_second():
    steps = [
        (f"cat pkg/mod_{i}.py; grep name_{i} '{'line of text'}'", f"pkg/mod_{i + 1}.py name_{i + 1} " * 60)
        for i in range(115)
    ]
    messages = history(*steps)
    start = time.perf_counter()
    assert len(find(messages)) > 200
    assert time.perf_counter() - start < 1.5  # the room is for a busy machine


# ---------------------------------------------------------------- the measure


def test_precision_and_recall_are_taken_over_the_labelled_actions():
    found = find(history(("ls", "a_b c_d e_f"), ("echo a_b c_d", ""), ("echo e_f", "")))
    assert found == ()  # all too short
    found = find(history(("ls", "aa_b cc_d ee_f"), ("echo aa_b cc_d", ""), ("echo ee_f", "")))
    total = score(found, {"2": [], "4": [digest("aa_b"), digest("gg_h")]})
    assert total == Score(actions=2, right=1, found=2, labelled=2)
    assert (total.precision, total.recall) == (0.5, 0.5)
    assert score(found, {}).precision is None


def test_counts_by_distance():
    steps = [("ls", "aa_b"), *[("ls", "")] * 49, ("echo aa_b", ""), ("echo aa_b", "cc_d"), ("echo cc_d", "")]
    assert by_distance(find(history(*steps))) == {"1-2": 1, "3-5": 0, "6-10": 0, "11-20": 0, "21-40": 0, "41+": 2}
