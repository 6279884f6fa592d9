"""A local server that speaks OpenAI's and Anthropic's interfaces over a real socket, and is as strict as they are.

It refuses what they refuse (calls without answers, turns that do not alternate, blank text, too long an input), counts
the tokens of what it got, keeps prefixes as a cache does, and fails on a seeded schedule.
"""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from harness.tokens import Tiktoken

BLOCK = 64  # tokens of a cached block
Body = Mapping[str, Any]


class Refused(Exception):
    """400: the request breaks a rule."""


@dataclass
class Brain:
    """What the server answers with: text, calls as (name, arguments as text), and how it finished."""

    say: Callable[[int], tuple[str, Sequence[tuple[str, str]], str]] = lambda n: ("ok", (), "stop")


@dataclass
class Log:
    """What a provider's bill would be made from. bodies: of the requests that were served."""

    served: int = 0
    failed: int = 0
    input: int = 0
    cached: int = 0
    output: int = 0
    bodies: list[Body] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)


class Server:
    """faults: share of the requests that fail in one of several ways. window: most input tokens."""

    def __init__(self, brain: Brain | None = None, faults: float = 0.0, seed: int = 0, window: int = 100_000) -> None:
        self.brain = brain or Brain()
        self.faults = faults
        self.window = window
        self.log = Log()
        self._rng = random.Random(seed)
        self._lock = threading.Lock()
        self._tokenizer = Tiktoken("cl100k_base")
        self._prefixes: list[str] = []

    # ------------------------------------------------------------ what a request meets

    def fault(self) -> tuple[int, dict[str, str]] | None:
        """A status with headers; 0 = the connection is dropped."""
        with self._lock:
            if self._rng.random() >= self.faults:
                return None
            self.log.failed += 1
            status = self._rng.choice((0, 408, 409, 429, 500, 503, 529))
            return status, {"retry-after": "0.001"} if status == 429 else {}

    def serve(self, path: str, body: Body, headers: Mapping[str, str]) -> dict[str, Any]:
        speak = {"/chat/completions": self._chat, "/responses": self._responses, "/v1/messages": self._messages}
        if path not in speak:
            raise Refused(f"no such path {path}")
        with self._lock:
            answer = speak[path](body)
            self.log.served += 1
            self.log.bodies.append(body)
            self.log.headers.append(headers)
        return answer

    def count(self, text: str) -> int:
        return self._tokenizer.text(text)

    def _read(self, parts: Sequence[str]) -> tuple[int, int]:
        """Input tokens and how many of them a cached prefix held."""
        text = "\n".join(parts)
        whole = self.count(text)
        if whole > self.window:
            raise Refused(f"context_length_exceeded: {whole} tokens, the window has {self.window}")
        common = max((_common(text, old) for old in self._prefixes), default=0)
        cached = self.count(text[:common]) // BLOCK * BLOCK
        self._prefixes.append(text)
        self.log.input += whole
        self.log.cached += cached
        return whole, cached

    def _say(self) -> tuple[str, Sequence[tuple[str, str]], str, int]:
        text, calls, finish = self.brain.say(self.log.served)
        output = self.count(text) + sum(self.count(arguments) for _, arguments in calls)
        self.log.output += output
        return text, calls, finish, output

    # ------------------------------------------------------------ chat completions

    def _chat(self, body: Body) -> dict[str, Any]:
        messages = body["messages"]
        _check_chat(messages)
        _check_tools([tool["function"] for tool in body.get("tools", ())], "parameters")
        whole, cached = self._read([json.dumps(body.get("tools", "")), *(json.dumps(m) for m in messages)])
        text, calls, finish, output = self._say()
        made = [
            {"id": "same", "type": "function", "function": {"name": name, "arguments": arguments}}
            for name, arguments in calls
        ]
        message = {"role": "assistant", "content": text or None, **({"tool_calls": made} if made else {})}
        usage = {
            "prompt_tokens": whole,
            "completion_tokens": output,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        return {"choices": [{"message": message, "finish_reason": "tool_calls" if made else finish}], "usage": usage}

    # ------------------------------------------------------------ responses

    def _responses(self, body: Body) -> dict[str, Any]:
        items = body["input"]
        called = {item["call_id"] for item in items if item.get("type") == "function_call"}
        answered = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
        if sorted(called) != sorted(answered):
            raise Refused("No tool output found for a function call, or it was given twice")
        if body.get("store") is not False:
            raise Refused("the test expects store=false")
        newest = max((n for n, item in enumerate(items) if item.get("type") == "compaction"), default=0)
        front = [body["instructions"], json.dumps(body.get("tools", ""))]
        parts = [*front, *map(json.dumps, items[newest:])]
        made: list[dict[str, Any]] = [{"type": "reasoning", "id": "r", "encrypted_content": "opaque"}]
        for edit in body.get("context_management", ()):
            if self.count("\n".join(parts)) > edit["compact_threshold"]:
                made = [{"type": "compaction", "id": "c", "encrypted_content": "packed"}]
                parts = front
        whole, cached = self._read(parts)
        text, calls, finish, output = self._say()
        if text:
            part = {"type": "refusal" if finish == "refusal" else "output_text", "text": text}
            made.append({"type": "message", "role": "assistant", "content": [part]})
        made += [
            {"type": "function_call", "call_id": "same", "name": name, "arguments": arguments}
            for name, arguments in calls
        ]
        usage = {"input_tokens": whole, "output_tokens": output, "input_tokens_details": {"cached_tokens": cached}}
        return {"status": "incomplete" if finish == "length" else "completed", "output": made, "usage": usage}

    # ------------------------------------------------------------ Anthropic's messages

    def _messages(self, body: Body) -> dict[str, Any]:
        turns = body["messages"]
        _check_turns(turns)
        _check_tools(body.get("tools", ()), "input_schema")
        if "max_tokens" not in body:
            raise Refused("max_tokens: Field required")
        marks = json.dumps(body).count("cache_control")
        if marks > 4:
            raise Refused(f"A maximum of 4 blocks with cache_control may be provided. Found {marks}.")
        plain = json.loads(json.dumps(body), object_hook=_unmarked)
        blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": "hm", "signature": "s"}]
        kept, applied = _after_compaction(plain["messages"]), list[dict[str, Any]]()
        for edit in body.get("context_management", {}).get("edits", ()):
            if self.count(json.dumps(kept)) <= edit["trigger"]["value"]:
                continue
            before = self.count(json.dumps(kept))
            if edit["type"] == "compact_20260112":
                blocks, kept = [{"type": "compaction", "content": "what came before"}], kept[-1:]
            else:
                cleared = _clear(kept, edit["keep"]["value"])
                tokens = before - self.count(json.dumps(kept))
                applied.append({"type": edit["type"], "cleared_tool_uses": cleared, "cleared_input_tokens": tokens})
        parts = [json.dumps(plain.get("tools", "")), json.dumps(plain["system"]), *map(json.dumps, kept)]
        whole, cached = self._read(parts)
        text, calls, finish, output = self._say()
        blocks += [{"type": "text", "text": text}] if text else []
        blocks += [{"type": "tool_use", "id": "same", "name": n, "input": json.loads(a)} for n, a in calls]
        reason = "tool_use" if calls else {"stop": "end_turn", "length": "max_tokens"}.get(finish, finish)
        usage = {
            "input_tokens": whole - cached,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": output,
        }
        found = {"content": blocks, "stop_reason": reason, "usage": usage}
        return {**found, "context_management": {"applied_edits": applied}} if applied else found


# ---------------------------------------------------------------- rules


def _check_chat(messages: Sequence[Body]) -> None:
    open_calls: list[str] = []
    for number, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            if message["tool_call_id"] not in open_calls:
                raise Refused(f"messages.{number}: tool_call_id answers no call before it")
            open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            raise Refused(f"messages.{number}: calls without an answer: {open_calls}")
        if role == "system" and number:
            raise Refused("a system message in the middle")
        if number > 1 and role == "user" and messages[number - 1]["role"] == "user":
            raise Refused("roles must alternate user/assistant/user/assistant")
        if role in ("user", "system") and not message["content"].strip():
            raise Refused(f"messages.{number}: blank content")
        open_calls = [call["id"] for call in message.get("tool_calls") or ()]
        for call in message.get("tool_calls") or ():
            json.loads(call["function"]["arguments"])
    if open_calls or messages[-1]["role"] == "assistant":
        raise Refused("the conversation must end with a user or tool message")


def _check_turns(turns: Sequence[Body]) -> None:
    open_calls: list[str] = []
    for number, turn in enumerate(turns):
        if turn["role"] != ("user", "assistant")[number % 2]:
            raise Refused("messages: roles must alternate between user and assistant, and begin with user")
        answered = [block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"]
        kinds = [block["type"] for block in turn["content"]]
        if sorted(answered) != sorted(open_calls):
            raise Refused(f"messages.{number}: tool_use without tool_result, or the other way round")
        if "text" in kinds and "tool_result" in kinds[kinds.index("text") :]:
            raise Refused(f"messages.{number}: tool results come first")
        for block in turn["content"]:
            if block["type"] == "text" and not block["text"].strip():
                raise Refused("messages: text content blocks must be non-empty")
        open_calls = [block["id"] for block in turn["content"] if block["type"] == "tool_use"]
    if open_calls:
        raise Refused("the last calls have no result")


def _after_compaction(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the newest compaction block stands for is passed over."""
    places = [n for n, turn in enumerate(turns) if any(block["type"] == "compaction" for block in turn["content"])]
    return turns[places[-1] :] if places else turns


def _clear(turns: list[dict[str, Any]], keep: int) -> int:
    """Replace the content of the oldest tool results; how many."""
    results = [block for turn in turns for block in turn["content"] if block["type"] == "tool_result"]
    old = [block for block in results[: len(results) - keep] if block["content"] != "[cleared]"]
    for block in old:
        block["content"] = "[cleared]"
    return len(old)


def _check_tools(tools: Sequence[Body], schema: str) -> None:
    for tool in tools:
        if tool[schema].get("type") != "object":
            raise Refused(f"tools: {schema} of {tool['name']} must be an object")


def _unmarked(value: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key != "cache_control"}


def _common(a: str, b: str) -> int:
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle - 1)
    return low


@contextmanager
def running(server: Server) -> Iterator[str]:
    """Its address while it runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["content-length"]))
            failed = server.fault()
            if failed is not None and failed[0] == 0:
                self.close_connection = True
                self.connection.close()
                return
            if failed is not None:
                self._send(failed[0], {"error": {"type": "fault", "message": "try again"}}, failed[1])
                return
            try:
                self._send(200, server.serve(self.path, json.loads(content), dict(self.headers)), {})
            except Refused as why:
                self._send(400, {"error": {"type": "invalid_request_error", "message": str(why)}}, {})

        def _send(self, status: int, answer: Body, headers: Mapping[str, str]) -> None:
            text = json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {
                "content-type": "application/json",
                "content-length": str(len(text)),
                **headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A dropped connection is on purpose."""

    http = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}"
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
