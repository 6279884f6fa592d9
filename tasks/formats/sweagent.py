"""Trajectories of SWE-agent (`.traj`): a list of thought, action and observation, and the `history` that was sent.

The turns are taken from `trajectory`, which has every step; `history` gives the system text, the demonstrations and
the task.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.contract import Message, Reply
from tasks.formats import chat, text
from tasks.formats.run import BASH, Played, Run, text_of, usage_of


def recognises(data: Any) -> bool:
    """Whether the data has a `trajectory` whose steps have an action and an observation."""
    if not isinstance(data, Mapping) or not isinstance(data.get("trajectory"), list):
        return False
    steps = data["trajectory"]
    return bool(steps) and all(isinstance(s, Mapping) and "action" in s and "observation" in s for s in steps)


def read(data: Mapping[str, Any], name: str) -> Run:
    """One run. Raises ValueError when `history` has no task. A step without an action was refused (see `text`)."""
    shown = chat.normal(data.get("history") or data["trajectory"][0].get("query") or ())
    system = [m["content"] for m in shown if m["role"] == "system" or m.get("is_demo")]
    task = next((m["content"] for m in shown if m["role"] == "user" and not m.get("is_demo")), None)
    if task is None:
        raise ValueError(f"recorded run {name}: `history` has no user message, so no task; take it out of task.path")
    turns = []
    for turn, step in enumerate(data["trajectory"]):
        action = text_of(step["action"]).strip()
        said = text_of(step.get("response") or step.get("thought"))
        reply = Reply(Message("", "assistant", said, (text.call("bash", {"command": action}, turn),)), usage_of(step))
        turns.append(Played(reply, (text_of(step["observation"]),)))
    status = (data.get("info") or {}).get("exit_status")
    return Run(name, "\n\n".join(system), task, (BASH,), tuple(turns), None if status is None else str(status))
