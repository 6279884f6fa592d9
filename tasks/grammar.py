"""Reads the texts of a family: the same forms that word them, compiled into two patterns.

A statement is searched at the underscore of its owner's name, which is rare, so that a text without statements costs one scan.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import get_args

from harness.contract import Claim, Op, Question, Slot
from tasks.family import Family, Forms
from tasks.wording import ASKS, MARK, NOTES, SOURCES, STRUCTURED

OWNER = r"[a-z]++_\d++(?:\.[a-z]++)?+"
VALUE = r"[A-Za-z0-9]++(?:[._-][A-Za-z0-9]++)*+"
_BEFORE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.-")
_LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
_HOLE = re.compile(r"<([a-z]+)>")


def _tail(form: str, groups: dict[str, str]) -> tuple[str, list[str]]:
    """The pattern of what follows <e> up to the last placeholder, and the placeholders in order."""
    parts = _HOLE.split(form[form.index("<e>") + 3 :])
    pattern, order = "", []
    for literal, hole in zip(parts[::2], parts[1::2], strict=False):
        pattern += re.escape(literal) + f"({groups[hole]})"
        order.append(hole)
    return pattern, order


def _sentence(form: str, groups: dict[str, str]) -> str:
    """The pattern of a whole sentence with named groups."""
    parts = _HOLE.split(form)
    holes = [f"(?P<{hole}>{groups[hole]})" for hole in parts[1::2]] + [""]
    return "".join(re.escape(literal) + hole for literal, hole in zip(parts[::2], holes, strict=True))


class TextGrammar:
    """The `Grammar` of a family. Compiled when first used."""

    def __init__(self, family: Family) -> None:
        self.family = family

    @cached_property
    def _claims(self) -> tuple[re.Pattern[str], dict[int, tuple[int, int, int]]]:
        """The pattern, and for the index of its last group the groups of field, value and former value (0 = none)."""
        groups = {"a": "|".join(self.family.lexicon.fields), "v": VALUE, "o": VALUE}
        sets: list[Forms] = [*self.family.forms.values(), *STRUCTURED.values()]
        forms = [f for s in sets for f in s.change]
        forms += [f for s in sets for f in s.plain + s.amount] + list(NOTES)
        tails = dict(_tail(form, groups) for form in forms if "<o>" in form)
        tails |= {p: o for p, o in (_tail(form, groups) for form in forms) if p not in tails}
        index, first, branches = {}, 2, []
        for pattern, order in tails.items():
            place = {hole: first + n for n, hole in enumerate(order)}
            first += len(order)
            index[first - 1] = (place["a"], place["v"], place.get("o", 0))
            branches.append(pattern)
        return re.compile(rf"(_\d++(?:\.[a-z]++)?+)(?:{'|'.join(branches)})(?![A-Za-z0-9_])"), index

    def claims(self, text: str) -> Sequence[Claim]:
        """The statements of a text, in order."""
        pattern, index = self._claims
        found = []
        for match in pattern.finditer(text):
            start = match.start()
            head = start
            while head and text[head - 1] in _LOWER:
                head -= 1
            if head == start or head and text[head - 1] in _BEFORE:
                continue
            name, value, former = index[match.lastindex or 0]
            key = f"{text[head:start]}{match[1]}/{match[name]}"
            found.append(Claim(key, match[value], match[former] if former else None))
        return found

    @cached_property
    def _orders(self) -> re.Pattern[str]:
        groups = {"tool": "[a-z_]+", "e": OWNER}
        forms = [*self.family.orders, *self.family.idle]
        return re.compile(
            "|".join(f"(?:{_sentence(f, groups)})".replace("?P<", f"?P<i{n}_") for n, f in enumerate(forms))
        )

    @cached_property
    def _asks(self) -> dict[Op, re.Pattern[str]]:
        name = "|".join(self.family.lexicon.fields)
        key = rf"{OWNER}/(?:{name})"
        groups = {
            "arg": "[a-z]+",
            "e": OWNER,
            "a": name,
            "keys": rf"{key}(?:, {key})*",
            "joint": "[^A-Za-z0-9 ]",
            "operand": VALUE,
        }
        compiled = {}
        for op in get_args(Op):
            branches = (_sentence(f, groups).replace("?P<", f"?P<i{n}_") for n, f in enumerate(ASKS[op]))
            compiled[op] = re.compile("|".join(f"(?:{b})" for b in branches))
        return compiled

    @cached_property
    def _source(self) -> re.Pattern[str]:
        path = rf"{self.family.lexicon.folder}/{OWNER}"
        return re.compile("|".join(re.escape(s).replace("<path>", f"({path})") for s in SOURCES))

    def question(self, text: str) -> Question | None:
        """The last instruction of a text."""
        begin = text.rfind(MARK)
        if begin < 0:
            return None
        text = text[begin:]
        order = self._orders.search(text)
        if order is None:
            return None
        part = _PART.match(text)
        parts = _named(order)
        fixed = {self.family.target: parts["e"]}
        slots: tuple[Slot, ...] = ()
        for op, pattern in self._asks.items():
            if found := pattern.search(text):
                named = _named(found)
                keys = tuple(named["keys"].split(", ")) if "keys" in named else (f"{named['e']}/{named['a']}",)
                path = self._source.search(text, found.end())
                source = next(g for g in path.groups() if g) if path else None
                slots = (Slot(named["arg"], op, keys, named.get("operand", ""), named.get("joint", ""), source),)
                break
        return Question(parts["tool"], slots, fixed, part[1] if part else None)


_PART = re.compile(r"\[step \d+/\d+, [a-z ]*(\d+)/\d+\]")


def _named(match: re.Match[str]) -> dict[str, str]:
    return {name.partition("_")[2]: value for name, value in match.groupdict().items() if value is not None}
