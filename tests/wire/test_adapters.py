"""Adapters against a strict server: what is sent is legal, what comes back is whole, and nothing is counted twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.contract import Call, Message, Reply, Request, Tool
from harness.models.anthropic import Anthropic
from harness.models.openai import OpenAI
from harness.models.retry import CallFailed
from harness.tokens import Counter, Tiktoken
from tests.wire.server import Brain, Server, running

pytest.importorskip("openai", reason="needs the extra `models`")
pytest.importorskip("anthropic", reason="needs the extra `models`")

OBJECT: Mapping[str, Any] = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (Tool("look", "look at a file", OBJECT, "retrieve"), Tool("go", "go on", {"type": "object", "properties": {}}))
APIS = ("chat", "responses", "messages", "text")


def model(api: str, url: str, **settings: Any) -> Any:
    own = {"key": None, "attempts": 9, "timeout": 20.0, "slots": None, **settings}
    if api == "messages":
        return Anthropic("m", url, **own).open(None, None, 0)  # type: ignore[arg-type]
    if api == "text":
        return OpenAI("m", url, tools="text", **own).open(None, None, 0)  # type: ignore[arg-type]
    return OpenAI("m", url, api=api, **own).open(None, None, 0)  # type: ignore[arg-type]


def view(*more: Message) -> tuple[Message, ...]:
    return (Message("m0", "system", "Be brief."), Message("m1", "user", "Do it."), *more)


def request(*more: Message) -> Request:
    return Request(view(*more), TOOLS, 0, 100)


def called(number: int, *names: str, text: str = "") -> list[Message]:
    calls = tuple(Call(f"c{number}{n}", name, {"path": "a"}) for n, name in enumerate(names))
    answers = [Message(f"t{number}{n}", "tool", f"result {n}", answers=call.id) for n, call in enumerate(calls)]
    return [Message(f"a{number}", "assistant", text, calls), *answers]


# ---------------------------------------------------------------- what is sent

PIECES = st.lists(
    st.one_of(
        st.builds(lambda n: [Message("", "user", f"user {n}")], st.integers(0, 99)),
        st.builds(lambda n, names, text: called(n, *names, text=text), st.integers(0, 99),
                  st.lists(st.sampled_from(["look", "go"]), min_size=1, max_size=3), st.sampled_from(["", "thinking"])),
        st.builds(lambda n: [Message("", "assistant", f"said {n}"), Message("", "user", "and?")], st.integers(0, 99)),
    ),
    max_size=8,
)  # fmt: skip


def numbered(messages: Iterable[Message]) -> Iterator[Message]:
    """Call ids unique in the episode, as the harness gives them."""
    number, known = 0, dict[str, str]()
    for message in messages:
        for call in message.calls:
            known[call.id], number = f"c{number}", number + 1
        calls = tuple(replace(call, id=known[call.id]) for call in message.calls)
        yield replace(message, calls=calls, answers=known.get(message.answers or ""))


@pytest.fixture(scope="module", params=APIS)
def strict(request: pytest.FixtureRequest) -> Any:
    server = Server()
    with running(server) as url:
        yield request.param, server, url


@given(pieces=PIECES)
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_any_legal_view_is_a_legal_request_in_which_no_text_is_lost(strict: Any, pieces: list[list[Message]]) -> None:
    api, server, url = strict
    messages = view(*numbered(message for piece in pieces for message in piece), Message("", "user", "Go on."))
    assert model(api, url).complete(Request(messages, TOOLS, 0, 50)).message.content == "ok"
    sent = json.dumps(server.log.bodies[-1], ensure_ascii=False)
    position = 0
    for message in messages[1:]:
        if message.content:
            position = sent.find(json.dumps(message.content, ensure_ascii=False)[1:-1], position)
            assert position >= 0, f"{message.content!r} was lost or moved"


@pytest.mark.parametrize("api", APIS)
def test_the_plan_is_never_below_what_the_server_counts_by_much(api: str) -> None:
    """The server counts the whole JSON of the request, its quotes and braces too: an upper bound of any real count."""
    server = Server()
    with running(server) as url:
        asked = request(*called(1, "look", text="I look."), Message("x", "user", "word " * 400))
        reply = model(api, url).complete(asked)
    counter = Counter(Tiktoken("cl100k_base"))
    planned = counter.messages(asked.view) + counter.overhead(asked.tools)
    assert reply.usage.input is not None
    assert 0.5 < planned / reply.usage.input < 1.6


# ---------------------------------------------------------------- what comes back


@pytest.mark.parametrize("api", APIS[:3])
def test_usage_is_told_alike_and_a_stable_prefix_is_cached(api: str) -> None:
    server = Server()
    with running(server) as url:
        speaker = model(api, url)
        long = Message("l", "user", "word " * 500)
        first = speaker.complete(request(long))
        second = speaker.complete(request(long, *called(1, "look"), Message("n", "user", "next")))
    assert first.usage.cache_read == 0
    assert (second.usage.cache_read or 0) >= 448
    total = (first.usage.input or 0) + (second.usage.input or 0)
    assert (total, (first.usage.output or 0) + (second.usage.output or 0)) == (server.log.input, server.log.output)
    assert (second.usage.cache_read or 0) == server.log.cached


def test_breakpoints_stand_after_the_system_text_the_common_prefix_and_the_end() -> None:
    server = Server()
    with running(server) as url:
        speaker = model("messages", url)
        speaker.complete(request())
        speaker.complete(request(*called(1, "look"), Message("n", "user", "next")))
    marks = [
        (turn, block)
        for turn, message in enumerate(server.log.bodies[1]["messages"])
        for block, content in enumerate(message["content"])
        if "cache_control" in content
    ]
    assert "cache_control" in server.log.bodies[1]["system"][-1]
    assert marks == [(0, 0), (2, 1)]


@pytest.mark.parametrize("api", APIS)
def test_calls_come_back_with_their_arguments_several_at_once_too(api: str) -> None:
    said = json.dumps({"tool": "look", "arguments": {"path": "b"}})
    calls = (("look", '{"path": "b"}'), ("go", "{}"))
    brain = Brain(lambda n: (f"I see. {said}", (), "stop") if api == "text" else ("I see.", calls, "stop"))
    with running(Server(brain)) as url:
        reply = model(api, url).complete(request())
    assert reply.finish == "calls" and reply.message.content == "I see."
    assert [(c.name, dict(c.arguments)) for c in reply.message.calls][:1] == [("look", {"path": "b"})]
    assert len(reply.message.calls) == (1 if api == "text" else 2)


@pytest.mark.parametrize("api", ("chat", "responses"))
@pytest.mark.parametrize("written", ['{"path": "b', "[1, 2]", '"b"'])
def test_arguments_that_are_no_object_are_kept_as_broken(api: str, written: str) -> None:
    with running(Server(Brain(lambda n: ("", (("look", written),), "length")))) as url:
        (call,) = model(api, url).complete(request()).message.calls
    assert (call.name, dict(call.arguments), call.broken) == ("look", {}, written)


@pytest.mark.parametrize("api", ("responses", "messages"))
def test_signed_reasoning_is_kept_with_its_message_and_sent_again_in_place(api: str) -> None:
    server = Server()
    with running(server) as url:
        speaker = model(api, url)
        reply: Reply = speaker.complete(request())
        assert reply.message.opaque
        history = [Message("r", "assistant", "ok", opaque=reply.message.opaque), Message("n", "user", "next")]
        speaker.complete(request(*history))
    sent = json.dumps(server.log.bodies[1])
    assert sent.count('encrypted_content": "opaque' if api == "responses" else '"signature": "s"') == 1


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize("api", APIS[:3])
def test_a_thousand_calls_at_twenty_per_cent_faults_lose_nothing_and_count_nothing_twice(
    api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.models.retry.Policy.pause", lambda *_: 0.0)
    server = Server(faults=0.2, seed=3)
    calls = 334
    with running(server) as url:
        speaker = model(api, url)
        replies = [speaker.complete(request()) for _ in range(calls)]
    assert server.log.served == calls == len(replies)
    assert sum(reply.attempts for reply in replies) == calls + server.log.failed and server.log.failed > 40
    assert sum(reply.usage.input or 0 for reply in replies) == server.log.input
    assert sum(reply.usage.output or 0 for reply in replies) == server.log.output


@pytest.mark.parametrize("api", APIS[:3])
def test_what_cannot_pass_is_not_tried_again(api: str) -> None:
    server = Server(window=40)
    with (
        running(server) as url,
        pytest.raises(CallFailed, match=r"BadRequestError 400: .*context_length_exceeded") as why,
    ):
        model(api, url).complete(request(Message("l", "user", "word " * 500)))
    assert (server.log.served, "attempts" in str(why.value)) == (0, False)


def test_a_server_that_is_down_is_said_after_the_last_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.models.retry.Policy.pause", lambda *_: 0.0)
    with pytest.raises(CallFailed, match=r"APIConnectionError: .* \(after 3 attempts\)"):
        model("chat", "http://127.0.0.1:9", attempts=3).complete(request())


# ---------------------------------------------------------------- keys


def test_a_key_comes_from_the_environment_alone_and_its_absence_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(
        ValueError, match="MY_KEY is not set: put the key of the endpoint into this environment variable"
    ):
        OpenAI("m", key="MY_KEY").check()
    monkeypatch.setenv("MY_KEY", "sk-secret")
    server = Server(window=1)
    with running(server) as url, pytest.raises(CallFailed) as why:
        model("chat", url, key="MY_KEY").complete(request())
    assert "sk-secret" not in str(why.value)


def test_a_key_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret")
    server = Server()
    with running(server) as url:
        model("chat", url, key="MY_KEY").complete(request())
        model("messages", url, key="MY_KEY", betas=("one", "two")).complete(request())
    first, second = ({name.lower(): value for name, value in own.items()} for own in server.log.headers)
    assert "sk-secret" in first["authorization"]
    assert "sk-secret" in (second.get("x-api-key") or second["authorization"])
    assert second["anthropic-beta"] == "one,two"


def test_settings_that_cannot_work_are_refused() -> None:
    for bad, said in (({"api": "x"}, "model.api='x'"), ({"tools": "x"}, "model.tools='x'")):
        with pytest.raises(ValueError, match=said):
            OpenAI("m", key=None, **bad).check()  # type: ignore[arg-type]
