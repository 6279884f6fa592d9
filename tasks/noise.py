"""Filler around the statements: prose, logs with stack traces, JSON, tables and code, with look-alike names and values."""

from __future__ import annotations

import random
from collections.abc import Callable

from tasks.family import Family, Style
from tasks.names import token

_LEVELS = ("DEBUG", "INFO", "INFO", "INFO", "WARN")
_ERRORS = ("TimeoutError", "ConnectionResetError", "UnicodeDecodeError", "KeyError", "BlockingIOError")
_VERBS = ("flush", "scan", "retry", "commit", "fetch", "trim", "rotate", "probe")


def lines(family: Family, style: Style, tokens: int, rng: random.Random) -> list[str]:
    """Lines (sentences, for prose) of about `tokens` tokens in all."""
    write = _WRITERS[style]
    out: list[str] = []
    left = float(tokens)
    while left > 4:
        out.extend(made := write(family, rng))
        left -= sum(map(len, made)) / 3.0
    return out


def _name(family: Family, rng: random.Random) -> str:
    words = family.lexicon
    return f"{rng.choice(words.nouns)}_{rng.randrange(1000, 10000)}{rng.choice(words.suffixes)}"


def _clock(rng: random.Random) -> str:
    return f"{rng.randrange(24):02d}:{rng.randrange(60):02d}:{rng.randrange(60):02d}"


def _prose(family: Family, rng: random.Random) -> list[str]:
    text = rng.choice(family.chatter)
    if "<" in text:
        text = (
            text.replace("<e>", _name(family, rng))
            .replace("<v>", token(rng))
            .replace("<n>", str(rng.randrange(2, 900)))
        )
    return [text]


def _log(family: Family, rng: random.Random) -> list[str]:
    subject, verb = rng.choice(family.subjects), rng.choice(_VERBS)
    match rng.randrange(7):
        case 0:
            return [
                "Traceback (most recent call last):",
                f'  File "/srv/{subject}/{verb}.py", line {rng.randrange(9, 800)}, in {verb}',
                f"    {subject}.{verb}(block)",
                f"{rng.choice(_ERRORS)}: {subject} {token(rng)} gave up after {rng.randrange(2, 60)} s",
            ]
        case 1:
            return [f"{_clock(rng)} INFO  {subject}: {verb} of {_name(family, rng)} took {rng.randrange(3, 900)} ms"]
        case 2:
            return [
                f"{_clock(rng)} DEBUG {subject}: request {token(rng)} answered, {rng.randrange(1, 99)} left in the queue"
            ]
        case 3:
            return [f"{_clock(rng)} WARN  {subject}: {verb} repeated ({rng.randrange(2, 6)} of 5), ticket {token(rng)}"]
        case _:
            level = rng.choice(_LEVELS)
            return [
                f"{_clock(rng)} {level:5} {subject}: {verb} done, {rng.randrange(1, 9000)} rows, {rng.randrange(1, 400)} ms"
            ]


def _json(family: Family, rng: random.Random) -> list[str]:
    subject, verb = rng.choice(family.subjects), rng.choice(_VERBS)
    match rng.randrange(3):
        case 0:
            return [f'{{"event": "{verb}", "by": "{subject}", "ms": {rng.randrange(2, 900)}, "trace": "{token(rng)}"}}']
        case 1:
            return [
                f'{{"page": "{_name(family, rng)}", "{subject}": {{"rows": {rng.randrange(9, 9000)}, "etag": "{token(rng)}"}}}}'
            ]
        case _:
            return [f'["{verb}", "{subject}", {rng.randrange(1, 99)}, "{token(rng)}", null]']


def _table(family: Family, rng: random.Random) -> list[str]:
    subject, verb = rng.choice(family.subjects), rng.choice(_VERBS)
    match rng.randrange(3):
        case 0:
            return [f"| {subject} | {verb} | {token(rng)} | {rng.randrange(1, 999)} |"]
        case 1:
            return [f"{_name(family, rng)};{rng.randrange(1, 9999)};{token(rng)};{verb}"]
        case _:
            return [f"{subject}  {verb}  {rng.randrange(1, 9999)}  {token(rng)}"]


def _code(family: Family, rng: random.Random) -> list[str]:
    subject, verb = rng.choice(family.subjects), rng.choice(_VERBS)
    match rng.randrange(4):
        case 0:
            return [f"def {verb}(block, limit={rng.randrange(2, 400)}):", f"    return {subject}.{verb}(block)[:limit]"]
        case 1:
            return [f'open_{subject}("{_name(family, rng)}").{verb}(seed="{token(rng)}")']
        case 2:
            return [f"if {subject}.age > {rng.randrange(2, 900)}:", f'    {verb}("{token(rng)}")']
        case _:
            return [f'{verb}({subject}, key="{token(rng)}", depth={rng.randrange(1, 9)})']


_WRITERS: dict[Style, Callable[[Family, random.Random], list[str]]] = {
    "prose": _prose,
    "log": _log,
    "json": _json,
    "table": _table,
    "code": _code,
}
