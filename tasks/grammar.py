"""Reads the texts of a family: the same forms that word them, compiled into patterns.

A statement is searched at the underscore of its owner's name, which is rare: a text without statements costs one scan.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import get_args

from harness.contract import Claim, Op, Question, Slot
from tasks.family import Family
from tasks.wording import ASKS, MARK, NOTES, SOURCES

OWNER = r"[a-z]++_\d++(?:\.[a-z]++)?+"
VALUE = r"[A-Za-z0-9]++(?:[._-][A-Za-z0-9]++)*+"
_HOLE = re.compile(r"<([a-z]+)>")
_PART = re.compile(r"\[step \d+/\d+, [a-z ]*(\d+)/\d+[^\]]*\]")
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_INSIDE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.-")  # before a name: it is part of something longer
_LONGEST = 24  # characters of an owner's noun


class TextGrammar:
    """The `Grammar` of a family. Compiled when first used."""

    def __init__(self, family: Family) -> None:
        self.family = family

    def claims(self, text: str) -> Sequence[Claim]:
        """The statements of a text, in order."""
        pattern, places = self._claims
        found = []
        for match in pattern.finditer(text):
            start = match.start()
            before = text[max(0, start - _LONGEST) : start]
            rest = before.rstrip(_LOWER)
            if len(rest) == len(before) or (rest and rest[-1] in _INSIDE):
                continue
            suffix, name, value, former = match.group(*places[match.lastindex or 0])
            found.append(Claim(f"{before[len(rest) :]}{suffix}/{name}", value, former or None))
        return found

    def question(self, text: str) -> Question | None:
        """The last instruction of a text."""
        begin = text.rfind(MARK)
        if begin < 0:
            return None
        text = text[begin:]
        order = self._orders.search(text)
        if order is None:
            return None
        parts, part = _named(order), _PART.match(text)
        slot = self._slot(text[order.end() :])
        return Question(
            parts["tool"], () if slot is None else (slot,), {self.family.target: parts["e"]}, part[1] if part else None
        )

    def _slot(self, text: str) -> Slot | None:
        for op, operand, pattern in self._asks:
            if found := pattern.search(text):
                named = {"operand": operand, **_named(found)}
                keys = tuple(named["keys"].split(", ")) if "keys" in named else (f"{named['e']}/{named['a']}",)
                path = self._source.search(text, found.end())
                source = path[path.lastindex or 0] if path else None
                joint, default = named.get("joint", ""), named.get("default", "")
                return Slot(named["arg"], op, keys, named["operand"], joint, source, default)
        return None

    @cached_property
    def _claims(self) -> tuple[re.Pattern[str], dict[int, tuple[int, int, int, int]]]:
        """The pattern, and by the number of its last group the groups of suffix, field, value and former value.

        Group 2 never matches: it stands for a former value that a form does not name.
        """
        holes = {"a": "|".join(self.family.lexicon.fields), "v": VALUE, "o": VALUE}
        sets = [made for forms in self.family.forms.values() for made in (forms, *forms.kinds.values())]
        # a form that names the former value goes first: its beginning may be a whole plain form
        forms = [f for s in sets for f in s.change] + [f for s in sets for f in s.plain + s.amount] + list(NOTES)
        tails = dict(_tail(form, holes) for form in reversed(forms))
        places, first, branches = {}, 3, []
        for pattern, order in reversed(tails.items()):
            group = {hole: first + n for n, hole in enumerate(order)}
            first += len(order)
            places[first - 1] = (1, group["a"], group["v"], group.get("o", 2))
            branches.append(pattern)
        return re.compile(rf"(_\d++(?:\.[a-z]++)?+)(?:(?!)()|{'|'.join(branches)})(?![A-Za-z0-9_])"), places

    @cached_property
    def _orders(self) -> re.Pattern[str]:
        return _either([*self.family.orders, *self.family.idle], {"tool": "[a-z_]+", "e": OWNER})

    @cached_property
    def _asks(self) -> Sequence[tuple[Op, str, re.Pattern[str]]]:
        """By op, the operand that goes without saying, and the instructions: those that suggest something first."""
        field = "|".join(self.family.lexicon.fields)
        key = rf"{OWNER}/(?:{field})"
        holes = {
            "arg": "[a-z]+",
            "e": OWNER,
            "a": field,
            "keys": rf"{key}(?:, {key})*+",
            "joint": "[^A-Za-z0-9 ]",
            "operand": VALUE,
            "default": f"{key}|{VALUE}",
        }
        asks = [(op, "", _either(ASKS[op], holes)) for op in get_args(Op)]
        if (ban := self.family.lexicon.ban) is not None:
            barred = ban.states[0]
            own = [(op, barred if op == "except" else "", _either(forms, holes)) for op, forms in ban.asks.items()]
            asks = own + asks
        return asks

    @cached_property
    def _source(self) -> re.Pattern[str]:
        path = rf"({self.family.lexicon.folder}/{OWNER})"
        return re.compile("|".join(re.escape(form).replace("<path>", path) for form in SOURCES))


def _tail(form: str, holes: Mapping[str, str]) -> tuple[str, list[str]]:
    """The pattern of what follows <e> up to the last placeholder, and the placeholders in order."""
    parts = _HOLE.split(form[form.index("<e>") + 3 :])
    order = parts[1::2]
    return "".join(f"{re.escape(text)}({holes[hole]})" for text, hole in zip(parts[::2], order, strict=False)), order


def _either(forms: Sequence[str], holes: Mapping[str, str]) -> re.Pattern[str]:
    """Any of the sentences, with groups named f<number of the form>_<placeholder>."""
    branches = []
    for n, form in enumerate(forms):
        parts = _HOLE.split(form)
        groups = [f"(?P<f{n}_{hole}>{holes[hole]})" for hole in parts[1::2]] + [""]
        branches.append("".join(re.escape(text) + group for text, group in zip(parts[::2], groups, strict=True)))
    return re.compile("|".join(branches))


def _named(match: re.Match[str]) -> dict[str, str]:
    return {name.partition("_")[2]: value for name, value in match.groupdict().items() if value is not None}
