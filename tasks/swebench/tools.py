"""The agent's tools, as it sees them: a lasting bash, an editor, and `submit`."""

from __future__ import annotations

from harness.contract import Tool


def tools(seconds: float, limit: int) -> tuple[Tool, ...]:
    """seconds: of a command. limit: characters of an answer."""
    text = {"type": "string"}
    half = limit // 2
    bash = Tool(
        "bash",
        "Run a command in a bash that lasts: its directory and variables stay. No input can be given to a program, and "
        f"there is no network. After {seconds:g} seconds the command is killed and the shell started anew. Of output "
        f"over {limit:,} characters the first and the last {half:,} are shown.",
        {"type": "object", "properties": {"command": text}, "required": ["command"]},
    )
    editor = Tool(
        "str_replace_editor",
        "View and edit files. view: a file with line numbers, or a folder. create: a new file from file_text. "
        "str_replace: put new_str in place of old_str, which must match one place, white space included. "
        "insert: new_str as lines after insert_line (0 = at the start). undo_edit: take the last edit of it back.",
        {
            "type": "object",
            "properties": {
                "command": {"type": "string", "enum": ["view", "create", "str_replace", "insert", "undo_edit"]},
                "path": {"type": "string", "description": "The whole path, such as /testbed/setup.py."},
                "file_text": text,
                "old_str": text,
                "new_str": text,
                "insert_line": {"type": "integer"},
                "view_range": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "description": "First and last line to view; -1 = to the end.",
                },
            },
            "required": ["command", "path"],
        },
    )
    nothing = {"type": "object", "properties": {}}
    submit = Tool("submit", "Hand in the changes as they stand. This ends the task.", nothing)
    return bash, editor, submit
