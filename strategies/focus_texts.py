"""What Focus says to the model. The wording is ours after the rules of the paper (arXiv 2601.07190, prompting)."""

from __future__ import annotations

from typing import Literal

from strategies.focus_tools import COMPLETE, START, Closing, said

Prompting = Literal["passive", "directive"]
Prompts = Literal["matched", "paper"]

# What a strategy adds to the system text stands below this line.
MARKER = "\n\n[memory]\n"

_PASSIVE = (
    f"You can keep this conversation short. {START.name} marks where a piece of work begins. {COMPLETE.name} ends it: "
    "what you write there is kept under Knowledge, and all messages since then are removed."
)
_DIRECTIVE = f"""Work in focuses:
- ALWAYS call {START.name} before you explore or implement anything.
- Call {COMPLETE.name} after 10 to 15 tool calls, NEVER after more than 20, also at a dead end.
- A task takes 4 to 6 focuses.
- Only what you write into it stays. Put down every name, path, value and error that may be needed, and as \
next_action the instruction that you were given last, word for word."""
# What the paper's agent was told beyond Focus; its baseline was not.
_BEYOND = "- Write tests of your own first, before you work on the main problem."


def prompt(prompting: Prompting, prompts: Prompts) -> str:
    parts = [_PASSIVE]
    if prompting == "directive":
        parts.append(_DIRECTIVE)
    if prompts == "paper":
        parts.append(_BEYOND)
    return "\n".join(parts)


def go_on(number: int, closing: Closing) -> str:
    """What stands where the focus was. The instruction in it begins with "next: ", on a line of its own."""
    ahead = said(closing.call, "next_action")
    text = f"Focus {number} is complete ({closing.outcome}): its messages were removed, see Knowledge. Continue"
    if not ahead:
        return f"{text} with the task."
    return f"{text}:\n{ahead if ahead.startswith('next: ') else f'next: {ahead}'}"


def reminder(calls: int, open_focus: str | None) -> str:
    """open_focus: description of the newest open one."""
    since = f"Reminder: {calls} tool calls since the last focus was completed."
    if open_focus is None:
        return f"{since} None is open: call {START.name} now, then {COMPLETE.name} with what you know."
    return f"{since} Call {COMPLETE.name} for {open_focus!r} now."
