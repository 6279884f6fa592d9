"""What a task declares about its messages: nothing, in the text, or beside it (dial `labels`)."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Literal, get_args

from harness.contract import Labels, Message
from tasks.grammar import TextGrammar

Mode = Literal["none", "text", "declared"]
MODES = get_args(Mode)
KINDS = ("constraint", "user", "file", "result", "notice")


@dataclass(frozen=True, slots=True)
class Labelling:
    """Labels messages by what they say, whether it will be needed or not.

    kind: constraint (states a standing or temporary rule) · user · file (read again) · result (states something) ·
    notice. uses: keys that the instruction in the message asks for. provides: keys that it states a value of.
    scramble: not 0 = drawn labels instead of true ones. Under `none` nothing is computed, so it changes nothing.
    """

    mode: Mode
    scramble: int
    grammar: TextGrammar

    def put(self, message: Message, file: bool = False) -> Message:
        """The message with its labels. file: it shows a file."""
        if self.mode == "none":
            return message
        labels = self.true(message, file) if not self.scramble else self.drawn(message)
        if self.mode == "declared":
            return replace(message, labels=labels)
        both = (("uses", labels.uses), ("gives", labels.provides))
        listed = (f"{name}: {', '.join(keys)}" for name, keys in both if keys)
        return replace(message, content=f"[{'; '.join([f'kind: {labels.kind}', *listed])}]\n{message.content}")

    def true(self, message: Message, file: bool) -> Labels:
        provides = tuple(dict.fromkeys(claim.key for claim in self.grammar.claims(message.content)))
        question = self.grammar.question(message.content)
        uses = tuple(key for slot in question.slots for key in slot.keys) if question else ()
        rules = self.grammar.family.lexicon.rules
        if any(key.partition("/")[2] in rules for key in provides):
            kind = "constraint"
        elif message.role == "user" or file:
            kind = "file" if file else "user"
        else:
            kind = "result" if provides else "notice"
        return Labels(kind, uses, provides)

    def drawn(self, message: Message) -> Labels:
        """Labels that say nothing true, a pure function of `scramble` and the text."""
        rng, words = random.Random(f"{self.scramble} {message.content}"), self.grammar.family.lexicon

        def keys() -> tuple[str, ...]:
            return tuple(
                f"{rng.choice(words.nouns)}_{rng.randrange(1000, 9999)}{rng.choice(words.suffixes)}"
                f"/{rng.choice(words.fields)}"
                for _ in range(rng.randrange(5))
            )

        return Labels(rng.choice(KINDS), keys(), keys())
