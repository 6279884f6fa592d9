"""Family `document`: a long survey is read section by section; few questions, most of them late, on all of it."""

from __future__ import annotations

from typing import Any

from tasks.family import Family, Forms, Lexicon
from tasks.generated import Generated, build
from tasks.wording import STRUCTURED

_LEXICON = Lexicon(
    nouns=("harbour", "island", "lighthouse", "ferry", "shoal", "village", "canal", "quarry", "chapel", "bridge"),
    suffixes=("",),
    codes=(
        "charter", "chart", "survey", "deed", "crest", "ledger", "bell", "seal", "berth", "portrait", "will", "map",
    ),
    modes=("parish", "stone", "guild", "rite", "landlord"),
    tallies=("households", "boats", "wrecks", "barrels"),
    folder="survey",
    part="chapter",
    place="step",
    hosts=3,
    room=10,
)  # fmt: skip

FAMILY = Family(
    name="document",
    lexicon=_LEXICON,
    system=(
        "You read a long survey section by section and take notes through tools. Each instruction names one tool and "
        "its section; call exactly that tool once, and the next section follows. What a note must say follows from "
        "the sections so far. A key is written owner/field, as in windmill_0001/sails; its value is the one told last, "
        "since later sections correct earlier ones. Where a key is asked for, answer with the key as written; where a "
        "number is asked for, with digits. If you do not know, answer unknown. Pages that an instruction names can be "
        "read again with reread."
    ),
    task=(
        "Read the survey of the coast, {horizon} sections in {subtasks} chapters. Notes are asked for now and then, "
        "more often towards the end; they count, compare and look up across all sections."
    ),
    target="section",
    phases=(
        ("note", "entry", "Write a note on a section."),
        ("compare", "entry", "Write down how things in several sections compare."),
        ("summarise", "entry", "Write a line of the summary."),
    ),
    orders=(
        "Call `<tool>` at section <e>.",
        "At <e> a `<tool>` is due.",
        "Before you leave <e>, use `<tool>`.",
        "Stop at <e> for a `<tool>`.",
        "The margin of <e> asks for `<tool>`.",
    ),
    idle=(
        "Read on at <e>: `<tool>`.",
        "No note here, `<tool>` through <e>.",
        "Turn the page at <e> with `<tool>`.",
        "`<tool>` past <e>, there is nothing to write.",
    ),
    acknowledgements=(
        "<tool> kept at <e>. The next section follows.",
        "<e> is read (<tool>), bookmark <v>.",
        "After <tool> at <e>, with slip <v>:",
        "<tool>: <e> closed. The text goes on.",
        "Sheet <v>, following <e> (<tool>).",
    ),
    openers=(
        "", "", "", "It is on record that ", "Travellers report that ", "By all accounts ", "An older hand adds that ",
        "According to the verger, ", "In the second edition ",
    ),
    forms={
        **STRUCTURED,
        "prose": Forms(
            plain=(
                "<e> keeps its <a> under the signature <v>.",
                "<e> has <v> for its <a>.",
                "<e> is entered with the <a> <v>.",
                "<e> names <v> where the <a> is asked for.",
                "<e> appears in the rolls under <a> <v>.",
                "<e> goes with <v> as far as the <a> is concerned.",
            ),
            change=(
                "<e> was said to have <o> for its <a>, which must be corrected to <v>.",
                "<e> exchanged its <a> <o> for <v>.",
                "<e> appears in later rolls under <v> and not under <o> as its <a>.",
                "<e> has the <a> <v> since <o> was lost in the fire.",
                "<e> gave up <o> when <v> became its <a>.",
            ),
            amount=(
                "<e> had <v> <a> at this count.",
                "<e> gained <v> <a> in the years described here.",
                "<e> is credited with another <v> <a>.",
                "<e> reports <v> <a> on top of what was said.",
                "<e> adds <v> <a> to the roll.",
            ),
        ),
        "log": Forms(
            plain=("<e>: <a> <v>", "<e> [<a>] <v>", "<e> <a>=<v>", "<e> noted, <a> <v>", "<e> | <a> is <v>"),
            change=(
                "<e>: <a> <v>, not <o>",
                "<e> [<a>] <o> to <v>",
                "<e> <a>=<v> for <o>",
                "<e> noted again, <a> <v> (was <o>)",
                "<e> | <a> is <v> and was <o>",
            ),
            amount=("<e>: <v> <a>", "<e> [<a>] +<v>", "<e> <a>+=<v>", "<e> noted, <v> <a>", "<e> | another <v> <a>"),
        ),
    },
    subjects=("miller", "verger", "pilot", "reeve", "cooper", "warden", "saltmaker", "surveyor", "abbot", "smith"),
    chatter=(
        "The road climbs for <n> paces and then follows the ridge, with the sea on the left hand.",
        "In dry years the <s> lets the sheep graze down to the waterline.",
        "Of the old wall no more than <n> courses are standing.",
        "The <s> of that time left a diary, in which the weather takes up most of the room.",
        "Fog lies here on one day in three, and the people have a dozen words for it.",
        "A market is held after the harvest; it used to last for <n> days.",
        "The tower of <e> can be seen from the landing on a clear evening.",
        "A drawing of the place hangs in the town hall under number <v>, much faded.",
        "The <s> is paid in fish, an old custom that nobody wishes to change.",
        "Below the mill the stream divides, and the two arms meet again <n> paces further on.",
        "It is told that a <s> once walked to <e> and back between two tides.",
        "The soil is thin, so that barley does better than wheat.",
        "Until the great storm there were <n> elms along the lane.",
        "What the earlier writers say about the <s> cannot be relied upon.",
        "The church was locked when we came, and the <s> could not be found.",
        "Peat is cut in the upper moor and carried down on sledges.",
        "A stone with the mark <v> lies in the ditch; its meaning is lost.",
        "Old people remember <n> winters in which the bay froze over.",
        "The language of the valley differs a little from that of <e>.",
        "From here the coast turns north, and the cliffs grow steeper.",
        "The inn has changed hands often, last from a <s> to his sister.",
        "A quarrel about the fishery went on for <n> years and was settled by a wedding.",
        "Cattle are swum across the narrows at low water.",
        "The archive holds a bundle about it, <v>, which we have not opened.",
        "On the feast day the <s> walks in front with a lantern.",
        "There is good clay by the ford, and for a time a potter worked there.",
        "The path to <e> is marked with white stones, <n> of them.",
        "Nets are dried on the green, whatever the <s> may say.",
        "Of the three wells only the middle one gives sweet water.",
        "The <s> reckoned the height of the hill at <n> feet, which seems too much.",
        "A ship bound for <e> ran aground here, and all hands were saved.",
        "Honey from this side is darker and keeps well.",
        "Snow is rare; when it falls the <s> rings for the school to close.",
        "The boundary runs along the hedge, as a paper of the time, <v>, confirms.",
        "Seals come in spring, and the children count them: last year <n>.",
        "Little else is remarkable, and the traveller will press on.",
    ),
)  # fmt: skip


def document(**settings: Any) -> Generated:
    """The task: settings of `Dials` and `Generated`; by default much prose, few questions, and most of them late."""
    ops = {"value": 3, "join": 3, "first": 2, "last": 2, "absent": 3, "except": 3, "count": 3, "sum": 1}
    reading = {"noise_tokens": 220, "styles": ("prose",), "user_share": 0.0}
    return build(FAMILY, {"goal_share": 0.4, "late": 1.0, "ops": ops, "reread": 0.5} | reading | settings)
