"""The tool by which an agent brackets its work into episodes, and what a call of it asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from harness.contract import Call, Message, Tool

Form = Literal["two", "one"]
Kind = Literal["expl", "act"]
KINDS: tuple[Kind, ...] = ("expl", "act")

_RULES = (
    "expl is work that finds something out, act is work that changes or checks something. One episode is open at a "
    "time. When the context is full, finished episodes are removed, acts first; of an expl its description stays."
)


def _text(description: str) -> Mapping[str, Any]:
    return {"type": "string", "description": description}


_NAME = _text("what the episode is about; every name is used once")
_KIND = {"type": "string", "enum": list(KINDS), "description": "expl or act"}
_NEEDS = {
    "type": "array",
    "items": {"type": "string"},
    "description": "names of earlier expl episodes that it builds on; at least one for an act, none for an expl",
}
_LEARNED = _text("at the end of an expl: what it found, each fact that may be needed later; empty at the end of an act")


def _object(required: Sequence[str], **properties: Any) -> Mapping[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


DELIMITER = Tool(
    "delimiter",
    f"Mark where an episode of your work starts (name, type, dependencies) and where it ends (description). {_RULES}",
    _object(
        ["action"],
        action={"type": "string", "enum": ["start", "end"]},
        name=_NAME,
        type=_KIND,
        dependencies=_NEEDS,
        description=_LEARNED,
    ),
)
START = Tool(
    "delimiter_start",
    f"Mark where an episode of your work starts. {_RULES}",
    _object(["name", "type"], name=_NAME, type=_KIND, dependencies=_NEEDS),
    "open",
)
END = Tool(
    "delimiter_end", "Mark where the open episode ends.", _object(["description"], description=_LEARNED), "close"
)
TOOLS: Mapping[Form, tuple[Tool, ...]] = {"two": (START, END), "one": (DELIMITER,)}
NAMES = frozenset((DELIMITER.name, START.name, END.name))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a call asks for. Texts are stripped, "" where they were not given."""

    action: str
    name: str
    kind: str
    needs: tuple[str, ...]
    description: str


def read(call: Call) -> Asked:
    given = call.arguments
    action = {START.name: "start", END.name: "end"}.get(call.name, str(given.get("action", "")))
    needs = given.get("dependencies") or ()
    listed = needs if isinstance(needs, (list, tuple)) else (needs,)
    names = tuple(dict.fromkeys(name for need in listed if (name := str(need).strip())))
    name, kind, description = (str(given.get(key) or "").strip() for key in ("name", "type", "description"))
    return Asked(action, name, kind, names, description)


def took_effect(answer: Message | None) -> bool:
    """Whether a call had an effect, by its answer: the harness's refusals begin with "error" as ours do."""
    return answer is not None and not answer.content.startswith("error")
