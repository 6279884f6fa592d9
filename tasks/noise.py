"""Filler around the statements: prose, logs with stack traces, JSON, tables and code, with like names and values."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from tasks.family import Family, Style
from tasks.names import token

_LEVELS = ("DEBUG", "INFO ", "INFO ", "INFO ", "WARN ")
_ERRORS = ("TimeoutError", "ConnectionResetError", "UnicodeDecodeError", "KeyError", "BlockingIOError")
_VERBS = ("flush", "scan", "retry", "commit", "fetch", "trim", "rotate", "probe")
_ROWS = ("| %s | %s | %s |", "%s;%s;%s", "%s\t%s\t%s", "%s  %s  %s", "%s,%s,%s")


def blocks(family: Family, style: Style, dialect: int, tokens: int, rng: random.Random) -> list[str]:
    """Pieces of about `tokens` tokens in all: sentences for prose, else lines, or a few lines that belong together."""
    sentences = _sentences(family, rng)
    out: list[str] = []
    left = float(tokens)
    while left > 4:
        out.append(made := next(sentences) if style == "prose" else _WRITERS[style](family, dialect, rng))
        left -= len(made) / (4.5 if style == "prose" else 2.7)
    return out


def stamped(pieces: list[str], rng: random.Random) -> list[str]:
    """Log lines with the time before them, in order."""
    now = rng.randrange(80000)
    out = []
    for piece in pieces:
        now += rng.randrange(1, 90)
        clock = f"{now // 3600 % 24:02d}:{now // 60 % 60:02d}:{now % 60:02d}"
        out.append(f"{clock} {piece}")
    return out


def _name(family: Family, rng: random.Random) -> str:
    words = family.lexicon
    return f"{rng.choice(words.nouns)}_{rng.randrange(1000, 10000)}{rng.choice(words.suffixes)}"


def _sentences(family: Family, rng: random.Random) -> Iterator[str]:
    """Chatter without end: each sentence comes once, with other names and numbers, before any comes again."""
    while True:
        for text in rng.sample(family.chatter, len(family.chatter)):
            text = text.replace("<e>", _name(family, rng)).replace("<s>", rng.choice(family.subjects))
            yield text.replace("<v>", token(rng)).replace("<n>", str(rng.randrange(2, 900)))


def _log(family: Family, dialect: int, rng: random.Random) -> str:
    subject, verb = rng.choice(family.subjects), rng.choice(_VERBS)
    match rng.randrange(8):
        case 0:
            frames = []
            for _ in range(rng.randrange(1, 5)):
                frames.append(f'  File "/srv/{subject}/{verb}.py", line {rng.randrange(9, 800)}, in {verb}')
                subject, verb = rng.choice(family.subjects), rng.choice(_VERBS)
                frames.append(f"    {subject}.{verb}(block)")
            head = [f"ERROR {subject}: {verb} failed", "Traceback (most recent call last):"]
            last = f"{rng.choice(_ERRORS)}: {token(rng)} gave up after {rng.randrange(2, 60)} s"
            return "\n".join([*head, *frames, last])
        case 1:
            return f"INFO  {subject}: {verb} of {_name(family, rng)} took {rng.randrange(3, 900)} ms"
        case 2:
            return f"DEBUG {subject}: request {token(rng)} answered, {rng.randrange(1, 99)} left in the queue"
        case 3:
            return f"WARN  {subject}: {verb} repeated ({rng.randrange(2, 6)} of 5), ticket {token(rng)}"
        case _:
            rows, time = rng.randrange(1, 9000), rng.randrange(1, 400)
            return f"{rng.choice(_LEVELS)} {subject}: {verb} done, {rows} rows, {time} ms"


def _json(family: Family, dialect: int, rng: random.Random) -> str:
    subject, verb, number = rng.choice(family.subjects), rng.choice(_VERBS), rng.randrange(2, 9000)
    match dialect:
        case 0:
            return f'{{"file": "{_name(family, rng)}", "{subject}": {number}, "etag": "{token(rng)}"}}'
        case 1:
            return f'{{"of": "{subject}", "event": "{verb}", "value": {number}, "trace": "{token(rng)}"}}'
        case 2:
            return f'["{_name(family, rng)}", "{verb}", {number}, "{token(rng)}"]'
        case 3:
            return f'{{"{_name(family, rng)}": {{"{subject}": {number}, "etag": "{token(rng)}"}}}}'
        case _:
            return f'{{"{subject}/{verb}": "{token(rng)}"}}'


def _table(family: Family, dialect: int, rng: random.Random) -> str:
    subject, verb, number = rng.choice(family.subjects), rng.choice(_VERBS), str(rng.randrange(1, 9999))
    if rng.random() < 0.5:
        return _ROWS[dialect] % (_name(family, rng), number, token(rng))
    return _ROWS[dialect] % (subject, verb, rng.choice((token(rng), number)))


def _code(family: Family, dialect: int, rng: random.Random) -> str:
    subject, verb = rng.choice(family.subjects), rng.choice(_VERBS)
    match rng.randrange(4):
        case 0:
            return f"def {verb}(block, limit={rng.randrange(2, 400)}):\n    return {subject}.{verb}(block)[:limit]"
        case 1:
            return f'open_{subject}("{_name(family, rng)}").{verb}(seed="{token(rng)}")'
        case 2:
            return f'if {subject}.age > {rng.randrange(2, 900)}:\n    {verb}("{token(rng)}")'
        case _:
            return f'{verb}({subject}, key="{token(rng)}", depth={rng.randrange(1, 9)})'


_WRITERS: dict[str, Callable[[Family, int, random.Random], str]] = {
    "log": _log,
    "json": _json,
    "table": _table,
    "code": _code,
}
