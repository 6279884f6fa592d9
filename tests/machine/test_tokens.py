"""Counting: control-token text is text, nothing is counted twice, and no server counts more than was planned."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import encodings
from harness.contract import Call, Message, Tool
from harness.record import load
from harness.tokens import Characters, Counter, Tiktoken, compact, schema_text
from tests.machine.arms import Newest
from tests.machine.toy import ACT, LOOK, ClerkReader, Desk, play

CONTROL = ("<|endoftext|>", "<|im_start|>", "<|fim_prefix|>", "<|endofprompt|>")
ROOT = Path(__file__).parents[2]


@cache
def encoding(name: str) -> Any:
    counting = Tiktoken(name)
    counting.text("")  # makes the files available
    import tiktoken

    return tiktoken.get_encoding(name)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
@pytest.mark.parametrize("text", CONTROL)
def test_control_token_text_is_counted_as_ordinary_text_everywhere(name: str, text: str) -> None:
    counter, spaced = Counter(Tiktoken(name)), len(encoding(name).encode_ordinary(text))
    assert spaced > 1
    counts = {}
    for place in ("content", "argument", "description", "opaque"):
        for filling in ("x", text):
            message = Message(
                f"{place}{filling}",
                "assistant",
                filling if place == "content" else "x",
                (Call("c1", "act", {"value": filling if place == "argument" else "x"}),),
                opaque=[filling if place == "opaque" else "x"],
            )
            tool = Tool("t", filling if place == "description" else "x", {})
            counts[place, filling] = counter.message(message) + counter.overhead((tool,))
        # between quotes a token may join its neighbours: at most one on each side
        assert counts[place, text] - counts[place, "x"] >= spaced - 3


def test_encodings_load_without_a_network_and_a_wrong_file_is_repaired(tmp_path: Path) -> None:
    damaged = tmp_path / encodings.SHIPPED["o200k_base"].cached
    damaged.write_bytes(b"not the file")
    code = (
        "from harness.tokens import Tiktoken\n"
        "print(Tiktoken('cl100k_base').text('hello <|endoftext|>'), Tiktoken('o200k_base').text('hello world'))"
    )
    closed = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    for cache_dir in (str(tmp_path), ""):
        environment = {
            **os.environ,
            **closed,
            "TIKTOKEN_CACHE_DIR": cache_dir,
            "XDG_CACHE_HOME": str(tmp_path / "user"),
        }
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.stdout.split() == ["7", "2"], done.stderr
    for name, folder in (("o200k_base", tmp_path), ("cl100k_base", tmp_path / "user" / "longhaul" / "tiktoken")):
        shipped = encodings.SHIPPED[name]
        assert hashlib.sha256((folder / shipped.cached).read_bytes()).hexdigest() == shipped.sha256
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == sorted(
        s.cached for s in encodings.SHIPPED.values()
    )


def test_an_unknown_encoding_names_the_choices() -> None:
    with pytest.raises(ValueError, match="'foo-9' is not shipped; choose one of cl100k_base, o200k_base"):
        Tiktoken("foo-9").text("hello")


def server_size(name: str, text: str) -> int:
    return len(encoding(name).encode(text, disallowed_special=()))


def server_count(name: str, messages: list[Message]) -> int:
    """What OpenAI's published recipe counts for messages (3 a message, 1 for a name, 3 for the primed reply), with
    calls counted as they go over the wire: id, name and arguments."""
    size = partial(server_size, name)
    total = 3
    for message in messages:
        total += 3 + size(message.role) + size(message.content)
        if message.answers is not None:
            total += size(message.answers)
        for call in message.calls:
            total += 3 + size(call.id) + size(call.name) + size(compact(call.arguments))
    return total


def schema_count(name: str, tools: list[Tool]) -> int:
    """OpenAI's published recipe for functions (gpt-4: 10 a function, 3 a property, 12 at the end)."""
    size = partial(server_size, name)
    total = 12
    for tool in tools:
        total += 10 + size(f"{tool.name}:{tool.description.rstrip('.')}")
        properties = tool.parameters.get("properties", {})
        total += 3 if properties else 0
        for key, schema in properties.items():
            total += 3 + size(f"{key}:{schema.get('type', '')}:{schema.get('description', '').rstrip('.')}")
            total += sum(3 + size(item) for item in schema.get("enum", ()))
    return total


texts = st.text(max_size=60) | st.sampled_from(CONTROL) | st.just("\n")
calls = st.lists(
    st.builds(
        Call, st.integers(0, 999999).map("c{}".format), st.sampled_from(["act", "read_file"]),
        st.dictionaries(texts, texts, max_size=3),
    ),
    max_size=3,
).map(tuple)  # fmt: skip
messages = st.one_of(
    st.builds(lambda text: Message("", "user", text), texts),
    st.builds(lambda text, calls: Message("", "assistant", text, calls), texts, calls),
    st.builds(lambda text, n: Message("", "tool", text, answers=f"c{n}"), texts, st.integers(0, 99999)),
)


@given(st.lists(messages, max_size=8), st.sampled_from(["cl100k_base", "o200k_base"]))
@settings(max_examples=100, deadline=None)
def test_planned_is_never_below_what_a_chat_server_counts(found: list[Message], name: str) -> None:
    counter = Counter(Tiktoken(name))
    named = [Message(f"m{n}", m.role, m.content, m.calls, m.answers) for n, m in enumerate(found)]
    assert counter.messages(named) + counter.overhead(()) >= server_count(name, named)


def test_planned_is_never_below_what_a_server_counts_for_many_tools() -> None:
    nested = {
        "path": {"type": "string", "description": "Which file."},
        "mode": {"type": "string", "enum": ["r", "w", "append"], "default": "r"},
        "range": {"type": "object", "properties": {"from": {"type": "integer"}, "to": {"anyOf": [{"type": "null"}]}}},
    }
    tools = [Tool(f"tool_{n}", f"Does thing number {n}.", {"type": "object", "properties": nested}) for n in range(14)]
    for name in ("cl100k_base", "o200k_base"):
        planned = Counter(Tiktoken(name)).overhead(tools)
        wire = len(encoding(name).encode_ordinary(compact([json.loads(schema_text(t)) for t in tools])))
        assert planned >= schema_count(name, tools)
        assert planned >= wire


def test_blank_content_is_counted_as_the_filler_that_is_sent() -> None:
    counter = Counter(Characters())
    assert [counter.message(Message(i, "user", text)) for i, text in (("a", ""), ("b", " \n\t"), ("c", "12345"))] == [
        6,
        6,
        6,
    ]


def test_a_message_is_encoded_once_and_a_changed_one_again() -> None:
    counter = Counter(Characters(1))
    first = Message("m1", "user", "twelve chars")
    assert [counter.message(first), counter.message(first), counter.encoded] == [16, 16, 12]
    assert counter.message(Message("m1", "user", "twelve chars")) == 16
    assert counter.encoded == 12
    made = [Message("note", "user", "four"), Message("note", "user", "eleven char")]
    assert [counter.message(m) for m in made] == [8, 15]
    assert counter.encoded == 12 + 4 + 11
    assert counter.message(made[0]) == 8


@pytest.mark.parametrize("keep", [3, 1000])
def test_a_long_run_encodes_little_more_than_its_new_text(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "long.jsonl"
    play(path, Desk(200).open(Desk(200).instances()[0], 0), ClerkReader(), lambda: Newest(keep), budget=10**6)
    record = load(path)
    counting = Characters()
    new = sum(counting.text(schema_text(tool)) for tool in (ACT, LOOK))
    for message in record.segments[0].messages:
        new += counting.text(message.content)
        new += sum(counting.text(c.name) + counting.text(compact(c.arguments)) for c in message.calls)
    assert record.steps == 200
    assert new <= record.encoded <= 1.05 * new


def test_characters_round_up() -> None:
    assert [Characters(4).text(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
    assert Characters(3.5).name == "characters/3.5"
