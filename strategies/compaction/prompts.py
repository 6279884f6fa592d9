"""What the compactor is told, by level and by what the text is."""

from __future__ import annotations

import re
from typing import Literal, get_args

Level = Literal["fragment", "session", "global"]
LEVELS: tuple[Level, ...] = get_args(Level)
Form = Literal["text", "json"]
Content = Literal["code", "data", "dialogue", "maths"]

_LEVEL = {
    "fragment": "Write one plain sentence for each turn. Objects, actions, errors and figures stay; small talk, "
    "repeats and formatting go.",
    "session": "Write one paragraph about this part of the work: what was done, what was found, how things stand.",
    "global": "Measure the work against the goal. Write under three headings: done, blocked, next. What an earlier "
    "summary says stays unless it was overtaken.",
}
_CONTENT = {
    "code": "Keep signatures of functions, error patterns, file names with lines, and which tests passed or failed.",
    "data": "Keep names, fields, values and counts, a record a line; of equal rows keep one and their number.",
    "dialogue": "Keep who wants what, what was decided and why, what was ruled out, and what is open.",
    "maths": "Keep definitions, variables, results with their conditions, and the step that was reached.",
}
_PLAIN = "Keep facts, decisions and errors."

# Each line votes for what it looks like; ours, kept simple: a wrong template only shifts the stress of an instruction.
_MATHS = r"\\(?:frac|sum|int|sqrt)\b|[∑∫√≤≥≠∈∀∃]|(?i:\b(?:theorem|lemma|proof|equation)\b)"
_RECORD = r"^\s*[\[{|].*[,:|]|^[^\s,;|]+(?:(?:[,;|\t]| {2,})[^\s,;|]+){2}|^\d\d:\d\d|^[\w.-]+[=:]"
_KEYWORD = r"^\s*(?:def|class|import|from|return|function|const|let|var|if|for|while|try|#include)\b.*[:;({]"
_CODE = r"[\w\])]\(.*\)\s*[;{:]?$|^[+-]{3} |^@@ |Traceback|^\s*File \"|\w+Error\b|[{};]\s*$|^\$ |^-> "
_SIGNS: tuple[tuple[Content, re.Pattern[str]], ...] = (
    ("maths", re.compile(_MATHS)),
    ("code", re.compile(f"{_KEYWORD}|^import |{_CODE}")),
    ("data", re.compile(_RECORD)),
)
_TAG = re.compile(r"</?[a-z ]+>")


def kind_of(text: str) -> Content:
    """What most lines of a text look like; dialogue where none of the others has more."""
    votes: dict[Content, int] = {"dialogue": 0, "code": 0, "data": 0, "maths": 0}
    for line in text.splitlines():
        if line.strip() and not _TAG.fullmatch(line):
            votes[next((kind for kind, sign in _SIGNS if sign.search(line)), "dialogue")] += 1
    return max(votes, key=lambda kind: votes[kind])


_FORM = {
    "text": "Answer with the text alone",
    "json": 'Answer with JSON alone, {"lines": ["a plain sentence", …]}, no other key, nothing around it',
}


def instruction(
    level: Level, content: Content | None, room: int, fault: str | None = None, form: Form = "text"
) -> str:
    """content: None = no template. fault: why the last answer was refused."""
    again = f" Your last answer was refused: it was {fault}." if fault else ""
    return (
        f"You shorten the record of an agent's work, so that it can go on without the original. {_LEVEL[level]} "
        f"{_CONTENT[content] if content else _PLAIN} Names, numbers, paths and codes stay word for word. The goal and "
        f"what is known may come first; do not repeat them. {_FORM[form]}, at most {room} tokens.{again}"
    )
