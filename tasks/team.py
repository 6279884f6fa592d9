"""Family `team`: several agents take turns at one survey; each has a history of its own, results are handed over."""

from __future__ import annotations

from typing import Any

from tasks.family import Family, Forms, Lexicon
from tasks.generated import Generated, build
from tasks.wording import STRUCTURED

_LEXICON = Lexicon(
    nouns=("survey", "memo", "dossier", "panel", "census", "archive", "chart", "sample", "digest", "index"),
    suffixes=("",),
    codes=(
        "source", "citation", "figure", "quote", "contact", "license", "region", "edition", "cohort", "shelf", "editor",
        "sponsor",
    ),
    modes=("grade", "scope", "channel", "tier", "stance"),
    tallies=("replies", "refusals", "pages", "visits"),
    agents=("ada", "bruno", "chen", "dora"),
    folder="desk",
    part="shift",
    hosts=4,
    room=8,
)  # fmt: skip

FAMILY = Family(
    name="team",
    lexicon=_LEXICON,
    system=(
        "You are one of several agents who work on a survey in turns, through tools. Each instruction names one "
        "tool and its shift; call exactly that tool once. What its open argument must be follows from what papers, "
        "logs and the user have told you, and from what the others have reported; nobody else knows what you have "
        "read. At the end of a shift you report values, in the order of the keys asked for; the others get them as "
        "records. A key is written paper/field, as in letter_0001/colour; its value is the one told last. Where a "
        "key is asked for, answer with the key as written; where a number is asked for, with digits. If you do not "
        "know, answer unknown. Files that an instruction names can be read again with reread."
    ),
    task=(
        "You are {agent}. The team brings the survey to its end in {horizon} steps, in {subtasks} shifts; all share "
        "this goal. Do the steps of your shifts, and report at the end of each what the others will need."
    ),
    target="shift",
    phases=(
        ("collect", "item", "Collect an item for the survey."),
        ("compare", "measure", "Compare papers by a measure."),
        ("draft", "entry", "Draft an entry of the survey."),
    ),
    report=("report", "record", "Hand results over to the other agents."),
    orders=(
        "Call `<tool>` in <e>.",
        "Now `<tool>`, for <e>.",
        "Please run `<tool>` as part of <e>.",
        "In <e> it is time for `<tool>`.",
        "<e> goes on with `<tool>`.",
    ),
    idle=(
        "Nothing to fill in: call `<tool>` in <e>.",
        "Just `<tool>` for <e>.",
        "A plain `<tool>` keeps <e> going.",
        "Let <e> run on with `<tool>`.",
    ),
    handovers=(
        "From the others, merged so far:",
        "What the rest of the team has reported since:",
        "New on the board:",
        "The others handed over these records:",
        "Merged while you were away:",
    ),
    acknowledgements=(
        "<tool> in <e> took <n> ms, slip <v>.",
        "<e>: <tool> filed as <v>.",
        "Booked <tool> for <e> (<v>).",
        "<tool> went over <n> pages in <e>.",
        "<tool> done, receipt <v>.",
    ),
    openers=(
        "", "", "Note that ", "The librarian says that ", "For the record, ", "As the cover shows, ", "By the way, ",
        "According to the catalogue, ",
    ),
    forms={
        **STRUCTURED,
        "prose": Forms(
            plain=(
                "<e> has <v> as its <a>.",
                "<e> gives the <a> <v>.",
                "<e> is filed with <a> <v>.",
                "<e> names <v> as <a>.",
                "<e> refers to <v> for its <a>.",
                "<e> states a <a>, which is <v>.",
            ),
            change=(
                "<e> was corrected: its <a> is <v>, not <o>.",
                "<e> no longer gives <o> as <a> but <v>.",
                "<e> replaced the <a> <o> by <v>.",
                "<e> now has <v> instead of <o> as its <a>.",
                "<e> had <o> for <a> in the old print, in the new one it is <v>.",
            ),
            amount=(
                "<e> counts <v> <a> this time.",
                "<e> closes with another <v> <a>.",
                "<e> brought <v> more <a>.",
                "<e> adds <v> <a> to what there was.",
                "<e> lists <v> further <a>.",
            ),
        ),
        "log": Forms(
            plain=(
                "<e>: <a>=<v>",
                "<e> <a> -> <v>",
                "<e> [<a>] <v>",
                "<e> scanned, <a> is <v>",
                "<e> | <a> read: <v>",
            ),
            change=(
                "<e>: <a>=<v> (was <o>)",
                "<e> <a> <o> -> <v>",
                "<e> [<a>] <o> replaced by <v>",
                "<e> scanned again, <a> is <v> and not <o>",
                "<e> | <a> now <v>, before <o>",
            ),
            amount=(
                "<e>: <a>+=<v>",
                "<e> <v> <a> in this batch",
                "<e> [<a>] +<v>",
                "<e> closed with <v> <a>",
                "<e> | <v> <a> counted",
            ),
        ),
    },
    subjects=("scanner", "catalogue", "courier", "printer", "spool", "index", "reader", "queue", "shelf", "mailer"),
    chatter=(
        "The reading room closes <n> minutes earlier today.",
        "Somebody returned <e> with a coffee stain.",
        "Loan <v> is overdue, but nobody needs it.",
        "The lift is out of order, take the stairs.",
        "A guest asked for <e> and was sent to the second floor.",
        "The copier has made <n> copies since Monday.",
        "Parcel <v> is waiting at the door.",
        "There are <n> chairs for the talk.",
        "The old cover of <e> was thrown away.",
        "Mail <v> needs no answer.",
        "The heating was off for <n> minutes.",
        "A volunteer has dusted <e>.",
    ),
)  # fmt: skip


def team(**settings: Any) -> Generated:
    """The task: settings of `Dials` and `Generated`, with three agents by default."""
    own = {"reach": 30, "strands": 3, "report": 4, "shared": 0.5, "conflicts": 0.1, "noise_tokens": 160}
    return build(FAMILY, own | settings)
