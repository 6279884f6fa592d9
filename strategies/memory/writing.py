"""What kind of statement this is, and whether it is worth a memory: a linear scorer with stated weights.

Nothing is trained: the weights below are ours, and everyone can read why a sentence was taken. A statement belongs to
the class with the highest score, if that reaches 1; else it is an event. Source of the classes: the seed's three things
to write (goals and constraints; decisions with reasons; state changes) and three not to (passing thoughts; what can be
fetched again; hedged statements).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Class = Literal["goal", "constraint", "preference", "decision", "hedged", "thought", "event"]
Speaker = Literal["user", "tool", "agent"]


@dataclass(frozen=True, slots=True)
class Feature:
    pattern: re.Pattern[str]
    weights: Mapping[Class, float]


def _feature(words: str, **weights: float) -> Feature:
    return Feature(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), weights)  # type: ignore[arg-type]


FEATURES = (
    _feature(r"never|must not|mustn't|do not|don't|forbidden|prohibited|not allowed|ruled out|avoid", constraint=1.5),
    _feature(r"must|always|have to|required|only|keep to|from (?:here|now) on|until I|whoever|for all", constraint=0.7),
    _feature(r"prefers?|rather|would like|I want|please|rely on|agreed|standing|by default|convention", preference=0.8),
    _feature(r"goal|aim|objective|deliver|the task is|in the end", goal=0.9),
    _feature(r"because|since|so that|in order to|therefore|the reason", decision=0.6),
    _feature(r"decided?|chose|choose|going with|settled on|will use|opted|instead of|rejected", decision=0.6),
    _feature(
        r"I think|I guess|I believe|maybe|perhaps|probably|possibly|might|could be|seems?|not sure|unsure|presumably",
        hedged=1.2, constraint=-1.0, preference=-1.0, decision=-0.5,
    ),
    _feature(r"let me|let's|I'll|I will|now I|next,? I|hmm|okay|calling|looking", thought=0.6),
)  # fmt: skip
BIAS: Mapping[Speaker, Mapping[Class, float]] = {
    "user": {"constraint": 0.4, "preference": 0.3, "goal": 0.2},
    "tool": {"constraint": -2.0, "preference": -2.0, "goal": -2.0, "decision": -2.0},
    "agent": {"thought": 0.4, "constraint": -1.0, "preference": -1.0, "goal": -1.0},
}


@lru_cache(16384)
def scores(statement: str, speaker: Speaker) -> Mapping[Class, float]:
    found: dict[Class, float] = dict(BIAS[speaker])
    for feature in FEATURES:
        if feature.pattern.search(statement):
            for name, weight in feature.weights.items():
                found[name] = found.get(name, 0.0) + weight
    return found


def classify(statement: str, speaker: Speaker) -> Class:
    found = scores(statement, speaker)
    best = max(found, key=lambda name: found[name])
    return best if found[best] >= 1 else "event"
