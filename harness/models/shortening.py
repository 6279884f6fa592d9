"""What the offline summarisers have in common: which text of a request they shorten, and how large one may be."""

from __future__ import annotations

import json
from collections.abc import Callable

from harness.contract import Message, Reply, Request
from harness.tokens import Tokenizer


def text_of(request: Request) -> tuple[tuple[str, ...], str]:
    """The earlier user messages, which say what matters, and the last one: the text to shorten."""
    texts = [message.content for message in request.view if message.role == "user"]
    return tuple(texts[:-1]), texts[-1] if texts else ""


def said(text: str) -> Reply:
    return Reply(Message("", "assistant", text))


def form_of(request: Request) -> Callable[[str], str]:
    """From a summary to the answer: where the request has a schema, the object with the list of lines that it asks for.
    """
    if request.schema is None:
        return str
    key = next(iter(request.schema["properties"]))
    return lambda text: json.dumps({key: text.splitlines()}, ensure_ascii=False)


def refuse_over(window: int | None, request: Request, tokenizer: Tokenizer) -> None:
    """Raises ValueError, as a server would, if the request and its answer have more tokens than the window."""
    if window is None:
        return
    tokens = sum(tokenizer.text(message.content) for message in request.view) + request.max_output
    if tokens > window:
        raise ValueError(
            f"compactor.window={window}: a request takes {tokens} tokens with its answer of {request.max_output}; "
            f"set strategy.compactor_window={window} or less"
        )
