"""Arguments that satisfy a tool's schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.contract import Tool

_EMPTY: Mapping[str, type[Any]] = {"integer": int, "number": int, "boolean": bool, "array": list, "object": dict}


def required(tool: Tool) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Name and schema of each parameter that a call must have."""
    properties = tool.parameters.get("properties", {})
    return ((name, properties.get(name, {})) for name in tool.parameters.get("required", ()))


def handle_parameter(tool: Tool) -> str | None:
    """The required string parameter that takes a handle, i.e. has a pattern."""
    return next((name for name, schema in required(tool) if "pattern" in schema), None)


def text_parameter(tool: Tool) -> str | None:
    """The first required string parameter that takes free text."""
    return next((name for name, schema in required(tool) if free(schema)), None)


def fill(tool: Tool, text: str, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Each required parameter: the given argument, the first of its allowed values, the text, or an empty value."""
    given = given or {}
    arguments = {name: given.get(name, _default(schema, text)) for name, schema in required(tool)}
    return {**arguments, **given}


def free(schema: Mapping[str, Any]) -> bool:
    """Whether a parameter takes any text."""
    return schema.get("type", "string") == "string" and "pattern" not in schema and "enum" not in schema


def _default(schema: Mapping[str, Any], text: str) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    empty = _EMPTY.get(schema.get("type", "string"))
    return text if empty is None else empty()
