"""Family `support`: a long conversation with a customer: product facts told early, numbers just now, corrections."""

from __future__ import annotations

from typing import Any

from tasks.family import Family, Forms, Lexicon
from tasks.generated import Generated, build
from tasks.wording import STRUCTURED

_PRODUCT = ("model", "serial", "firmware", "battery", "licence")
_ORDER = ("order", "invoice", "parcel", "refund")
_CONTACT = ("locker", "extension", "shop", "contact", "appointment")
_PREFERENCE = ("tariff", "courier", "bundle", "template", "channel")
_LEXICON = Lexicon(
    nouns=("printer", "router", "laptop", "camera", "phone", "speaker", "tablet", "scanner", "monitor", "dryer"),
    suffixes=("",),
    codes=(*_PRODUCT, *_ORDER, *_CONTACT),
    modes=_PREFERENCE,
    tallies=("credits", "vouchers", "points", "fees"),
    folder="file",
    part="case",
    kinds={
        **dict.fromkeys(_PRODUCT, "product"),
        **dict.fromkeys(_ORDER, "order"),
        **dict.fromkeys(_CONTACT, "contact"),
        **dict.fromkeys(_PREFERENCE, "preference"),
    },
    spoken_kinds=("product", "order", "contact", "preference"),
    hosts=4,
    room=8,
)  # fmt: skip

FAMILY = Family(
    name="support",
    lexicon=_LEXICON,
    system=(
        "You serve a customer who owns many devices, through tools. Each instruction names one tool and its case; call "
        "exactly that tool once. What its open argument must be follows from what the customer and the tools have said "
        "so far. A key is written device/field, as in kettle_0001/voltage; its value is the one told last: customers "
        "correct themselves, and the correction counts. Where a key is asked for, answer with the key as written; "
        "where a number is asked for, with digits. If you do not know, answer unknown. Files that an instruction names "
        "can be read again with reread."
    ),
    task=(
        "Settle {subtasks} cases of one customer in {horizon} steps. Which devices there are was said at the "
        "beginning; order numbers come up as they are needed; wishes and contacts change."
    ),
    target="case",
    phases=(
        ("look_up", "reference", "Look a device or an order up."),
        ("update_case", "entry", "Enter something in a case."),
        ("offer", "option", "Offer the customer a solution."),
        ("close_case", "note", "Close a case with a note."),
    ),
    orders=(
        "Call `<tool>` for <e>.",
        "The customer waits: `<tool>` on <e>.",
        "Please go on with `<tool>` in <e>.",
        "<e> comes next, with `<tool>`.",
        "Time to `<tool>` in <e>.",
    ),
    idle=(
        "Nothing to fill in, call `<tool>` for <e>.",
        "Keep <e> going with `<tool>`.",
        "A plain `<tool>` for <e> is enough.",
        "`<tool>` on <e> so that it moves on.",
    ),
    acknowledgements=(
        "<tool> in <e>: done, reference <v>.",
        "<e> was saved after <tool> (<n> ms).",
        "<tool> noted for <e> as <v>.",
        "The desk took <tool> for <e>, <n> in the queue.",
        "<e>, <tool>: entry <v> made.",
    ),
    openers=(
        "", "", "By the way, ", "Before I forget, ", "As I said to your colleague, ", "Let me look. ", "To be exact, ",
        "If I remember rightly, ",
    ),
    forms={
        **STRUCTURED,
        "prose": Forms(
            plain=(
                "<e> has <v> for its <a>.",
                "<e> goes under the <a> <v>.",
                "<e> says <v> where the <a> should be.",
                "<e> belongs to <a> <v>.",
                "<e> is the one with <v> as <a>.",
                "<e> should be put down with the <a> <v>.",
            ),
            change=(
                "<e> has <v> for its <a>, I said <o> by mistake.",
                "<e> does not go under <o> any more, its <a> is <v>.",
                "<e> changed from <a> <o> to <v>.",
                "<e> is with <v> now, forget the <a> <o>.",
                "<e> should read <v> in place of <o> in the <a>.",
            ),
            amount=(
                "<e> earned me <v> <a>.",
                "<e> was charged with <v> <a>.",
                "<e> came with another <v> <a>.",
                "<e> brought in <v> <a>.",
                "<e> got <v> <a> on top.",
            ),
        ),
        "log": Forms(
            plain=(
                "<e>: <a>=<v>",
                "<e> <a> on file: <v>",
                "<e> [<a>] <v>",
                "<e> found by <a> <v>",
                "<e> | <a> reads <v>",
            ),
            change=(
                "<e>: <a>=<v> (before: <o>)",
                "<e> <a> on file: <v>, <o> struck out",
                "<e> [<a>] <o> corrected to <v>",
                "<e> moved to <a> <v> from <o>",
                "<e> | <a> read <o>, reads <v>",
            ),
            amount=(
                "<e>: <a>+=<v>",
                "<e> <v> <a> booked",
                "<e> [<a>] +<v>",
                "<e> posted <v> <a>",
                "<e> | <v> <a> added",
            ),
        ),
    },
    subjects=("desk", "queue", "mailer", "ledger", "survey", "router", "index", "spool", "calendar", "courier"),
    chatter=(
        "My neighbour has <e> too and never had any trouble.",
        "I was on hold for <n> minutes last time.",
        "Your leaflet <v> is very pretty.",
        "The cable of <e> lies in a drawer somewhere.",
        "We were away for <n> days in spring.",
        "The lamp in the hall is fine again, thank you.",
        "A friend gave me voucher card <v>, long expired.",
        "My daughter set <e> up, I only press the button.",
        "The box weighed <n> grams, as it says outside.",
        "Page <n> of the manual is missing.",
        "Ticket <v> was another matter.",
    ),
)  # fmt: skip


def support(**settings: Any) -> Generated:
    """The task: settings of `Dials` and `Generated`; by default each kind of fact has a distance of its own."""
    own = {"laws": {"product": "early", "order": "recent"}, "early": 16, "updates": 0.35, "reread": 0.25, "crowd": 18}
    return build(FAMILY, own | settings)
