"""Sentence forms that families share: structured statements, instructions by op, and how a form is filled."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from harness.contract import Op
from tasks.family import Forms, Style
from tasks.plan import Need, Told

STYLES: tuple[Style, ...] = ("prose", "log", "json", "table", "code")
DIALECTS = 5
MARK = "[step "  # begins every instruction
CANARY = "Canary longhaul 7c1e0b52-6a0f-4d57-9f64-2f5e8f1f90aa: benchmark text, not for training."
SIGN = "longhaul-canary"  # its short form, in every message of an environment

# the forms of a style stand in the order of its dialects: an answer keeps to one of them
STRUCTURED: Mapping[Style, Forms] = {
    "json": Forms(
        plain=(
            '{"file": "<e>", "<a>": "<v>"}',
            '{"of": "<e>", "field": "<a>", "value": "<v>"}',
            '["<e>", "<a>", "<v>"]',
            '{"<e>": {"<a>": "<v>"}}',
            '{"<e>/<a>": "<v>"}',
        ),
        change=(
            '{"file": "<e>", "<a>": {"was": "<o>", "now": "<v>"}}',
            '{"of": "<e>", "field": "<a>", "from": "<o>", "to": "<v>"}',
            '["<e>", "<a>", "<o>", "<v>"]',
            '{"<e>": {"<a>": {"old": "<o>", "new": "<v>"}}}',
            '{"<e>/<a>": ["<o>", "<v>"]}',
        ),
    ),
    "table": Forms(
        plain=("| <e> | <a> | <v> |", "<e>;<a>;<v>", "<e>\t<a>\t<v>", "<e>  <a>  <v>", "<e>,<a>,<v>"),
        change=(
            "| <e> | <a> | <v> | was <o> |",
            "<e>;<a>;<v>;was <o>",
            "<e>\t<a>\t<v>\twas <o>",
            "<e>  <a>  <v>  was <o>",
            "<e>,<a>,<v>,was <o>",
        ),
    ),
    "code": Forms(
        plain=(
            'options["<e>"]["<a>"] = "<v>"',
            'configure("<e>", <a>="<v>")',
            'put("<e>", "<a>", "<v>")',
            'defaults.update({"<e>": dict(<a>="<v>")})',
            'assert describe("<e>").<a> == "<v>"',
        ),
        change=(
            'options["<e>"]["<a>"] = "<v>"  # not "<o>"',
            'configure("<e>", <a>="<v>")  # not "<o>"',
            'swap("<e>", "<a>", "<o>", "<v>")',
            'options["<e>"].replace(<a>=("<o>", "<v>"))',
            'assert describe("<e>").<a> == "<v>" != "<o>"',
        ),
    ),
}

NOTES = ("<e>/<a> = <v>", "<e>/<a>: <v>")  # read, never written: the form of a reader's own notes

ASKS: Mapping[Op, tuple[str, ...]] = {
    "value": (
        "Set <arg> to the <a> of <e>.",
        "For <arg> take the <a> that <e> has now.",
        "Its <arg> must be the current <a> of <e>.",
        "Fill <arg> with the value of <e>/<a>.",
        "As <arg> it needs the <a> that was given for <e>.",
    ),
    "join": (
        "Set <arg> to the values of <keys>, in this order, joined by <joint>",
        "For <arg> write the values of <keys> one after the other with a sign between them, namely <joint>",
        "Its <arg> is made of the values of <keys> in that order, glued with <joint>",
        "Fill <arg> with what <keys> stand for, keeping the order and separating them by <joint>",
        "As <arg> it needs the values of <keys>, put together with <joint>",
    ),
    "first": (
        "Set <arg> to the one of <keys> that was told first.",
        "For <arg> take whichever of <keys> was stated earliest.",
        "Its <arg> is the key that came up before the others: <keys>.",
        "Fill <arg> with the earliest told among <keys>.",
        "As <arg> it needs the first one to be mentioned with a value: <keys>.",
    ),
    "last": (
        "Set <arg> to the one of <keys> that was told last.",
        "For <arg> take whichever of <keys> was stated latest.",
        "Its <arg> is the key that came up after the others: <keys>.",
        "Fill <arg> with the latest told among <keys>.",
        "As <arg> it needs the last one to be mentioned with a value: <keys>.",
    ),
    "absent": (
        "Set <arg> to the one of <keys> for which no value was ever given.",
        "For <arg> take whichever of <keys> was never stated.",
        "Its <arg> is the key that is still without any value: <keys>.",
        "Fill <arg> with the only one never told among <keys>.",
        "As <arg> it needs the one that nobody gave a value: <keys>.",
    ),
    "except": (
        "Set <arg> to the one of <keys> that does not have <operand> now.",
        "For <arg> take whichever of <keys> is at present something other than <operand>.",
        "Its <arg> is the only key whose current value is not <operand>: <keys>.",
        "Fill <arg> with the exception to <operand> among <keys>.",
        "As <arg> it needs the odd one out, all others being <operand>: <keys>.",
    ),
    "count": (
        "Set <arg> to how many of <keys> have <operand> now.",
        "For <arg> count which of <keys> are at present <operand>.",
        "Its <arg> is the number of keys whose current value is <operand>: <keys>.",
        "Fill <arg> with the tally of <operand> among <keys>.",
        "As <arg> it needs a number, the times that <operand> holds now: <keys>.",
    ),
    "sum": (
        "Set <arg> to the total of all amounts ever told for <e>/<a>.",
        "For <arg> add up every figure that was stated for <e>/<a>.",
        "Its <arg> is the sum over all reports of <e>/<a>.",
        "Fill <arg> with all amounts of <e>/<a> taken together.",
        "As <arg> it needs the grand total of <e>/<a>.",
    ),
}

SOURCES = (
    "It can be read again in <path>.",
    "The file <path> still has it.",
    "See <path> if in doubt.",
    "That stands in <path>.",
    "<path> is open for another look.",
)


def fill(form: str, parts: Mapping[str, str]) -> str:
    for name, part in parts.items():
        form = form.replace(f"<{name}>", part)
    return form


def statement(told: Told, forms: Forms, form: int) -> str:
    """A statement in one of the forms (any number). The form does not depend on whether the fact is needed."""
    forms = forms.of(told.kind)
    choices = forms.change if told.former is not None else forms.plain
    if told.kind == "tally" and forms.amount:
        choices = forms.amount
    text = choices[form % len(choices)].replace("<e>", told.owner).replace("<a>", told.field).replace("<v>", told.value)
    return text if told.former is None else text.replace("<o>", told.former)


def ask(need: Need, argument: str, forms: Sequence[str], rng: random.Random) -> str:
    """What to put into `argument`, in one of the forms; names the file of a re-readable fact."""
    owner, _, name = need.keys[0].partition("/")
    text = fill(
        rng.choice(forms),
        {
            "arg": argument,
            "e": owner,
            "a": name,
            "keys": ", ".join(need.keys),
            "joint": need.joint,
            "operand": need.operand,
            "default": need.default,
        },
    )
    return text if need.source is None else f"{text} {rng.choice(SOURCES).replace('<path>', need.source)}"
