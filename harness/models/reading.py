"""How the argument of an action follows from what is stated (the operations of contract.Slot)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from harness.contract import Claim, Slot
from harness.models.statements import Statement

Stated = Mapping[str, Sequence[Statement]]


@dataclass(frozen=True, slots=True)
class Finding:
    """value: None if it cannot be known. missing: the keys that must be known for it. used: the claims it rests on."""

    value: str | None
    missing: tuple[str, ...] = ()
    used: tuple[Claim, ...] = ()


def newest(statements: Sequence[Statement]) -> Claim | None:
    """The newest statement that no other one supersedes by naming its value; the newest at all if each is named."""
    claims = [statement.claim for statement in statements]
    dead = {claim.replaces for claim in claims}
    living = [claim for claim in claims if claim.value not in dead] or claims
    return living[-1] if living else None


def evaluate(slot: Slot, stated: Stated) -> Finding:
    """The slot's value from the statements about its keys, each list oldest first.

    What cannot be known from them is missing, not guessed: order and counts need every key, `absent` needs
    all keys but one. Only a chain of updates hides its gaps: `sum` adds up what is there.
    """
    known = {key: claim for key in slot.keys if (claim := newest(stated.get(key, ()))) is not None}
    unknown = tuple(key for key in slot.keys if key not in known)
    used = tuple(known.values())
    match slot.op:
        case "absent":
            return Finding(unknown[0], used=used) if len(unknown) == 1 else Finding(None, unknown, used)
        case "except":
            others = [key for key, claim in known.items() if claim.value != slot.operand]
            if not others and len(unknown) == 1:
                return Finding(unknown[0], used=used)
            return Finding(_last(others, stated), used=used) if others else Finding(None, unknown, used)
        case "sum":
            total = _total(stated.get(slot.keys[0], ()))
            return Finding(None, slot.keys[:1]) if total is None else Finding(total, used=used)
    if unknown or not known:
        return Finding(None, unknown, used)
    match slot.op:
        case "value":
            return Finding(known[slot.keys[0]].value, used=used)
        case "join":
            return Finding(slot.joint.join(known[key].value for key in slot.keys), used=used)
        case "first":
            return Finding(min(slot.keys, key=lambda key: _events(stated[key])[0].place), used=used)
        case "last":
            return Finding(_last(slot.keys, stated), used=used)
        case "count":
            return Finding(str(sum(claim.value == slot.operand for claim in known.values())), used=used)


def suggested(slot: Slot, stated: Stated) -> str | None:
    """What the text itself suggests where the facts leave the argument open; None without a suggestion.

    A lost fact gives no reason to hesitate: a suggestion is never answered by "unknown". Only where the suggested key
    is known to have the operand of `except`, the first key of which nothing is known is taken instead.
    """
    known = {key: claim.value for key in slot.keys if (claim := newest(stated.get(key, ()))) is not None}
    if slot.op == "except" and slot.default and known.get(slot.default) == slot.operand:
        return next((key for key in slot.keys if key not in known), None)
    return slot.default or None


def guess(slot: Slot, stated: Stated, alike: Callable[[str], str | None]) -> str | None:
    """What a reader says who will not say that it does not know; None where it has nothing to go by.

    alike: a value for a key, borrowed from another one. Order and counts are taken from the keys that are known.
    """
    known = {key: claim.value for key in slot.keys if (claim := newest(stated.get(key, ()))) is not None}
    match slot.op:
        case "value" | "join":
            values = [known[key] if key in known else alike(key) for key in slot.keys]
            return slot.joint.join(value for value in values if value is not None) if None not in values else None
        case "sum":
            return alike(slot.keys[0])
        case "count":
            return str(sum(value == slot.operand for value in known.values()))
        case "first" | "last":
            seen = Slot(slot.argument, slot.op, tuple(known))
            return evaluate(seen, stated).value
        case "absent" | "except":
            return next((key for key in slot.keys if key not in known), None)


def _last(keys: Sequence[str], stated: Stated) -> str:
    return max(keys, key=lambda key: _events(stated[key])[-1].place)


def _events(statements: Sequence[Statement]) -> Sequence[Statement]:
    """The statements themselves; restatements only where nothing else is left."""
    return [statement for statement in statements if not statement.copy] or statements


def _total(statements: Sequence[Statement]) -> str | None:
    """The sum of the updates; None without any.

    A restated update is no second one: of each value, as many count as the original messages hold, or as the richest
    single restatement does.
    """
    originals: Counter[str] = Counter()
    copies: dict[int, Counter[str]] = {}
    for statement in statements:
        counter = copies.setdefault(statement.index, Counter()) if statement.copy else originals
        counter[statement.claim.value] += 1
    for restated in copies.values():
        originals |= restated
    amounts = [amount * count for value, count in originals.items() if (amount := _number(value)) is not None]
    return f"{sum(amounts):f}" if amounts else None


def _number(value: str) -> Decimal | None:
    """None for text that a strategy cut or rewrote into something else: such a text states no update."""
    try:
        amount = Decimal(value)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None
