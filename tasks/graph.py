"""Family `graph`: a random dependency graph; each step runs a node that consumes what earlier nodes gave out."""

from __future__ import annotations

from typing import Any

from tasks.family import Family, Forms, Lexicon
from tasks.generated import Generated, build
from tasks.wording import STRUCTURED

_LEXICON = Lexicon(
    nouns=("mill", "loom", "press", "kiln", "lathe", "forge", "still", "crane", "sieve", "wheel"),
    suffixes=("",),
    codes=(
        "digest", "handle", "shard", "route", "seal", "cursor", "anchor", "lease", "stamp", "token", "slot", "cipher",
    ),
    modes=("lane", "grade", "zone", "phase", "shift"),
    tallies=("credits", "faults", "units", "hours"),
    folder="store",
    part="section",
    place="step",
    hosts=1,
    room=12,
)  # fmt: skip

FAMILY = Family(
    name="graph",
    lexicon=_LEXICON,
    system=(
        "You run the nodes of a workflow graph through tools. Each instruction names one tool and its node; call "
        "exactly that tool once. What its open argument must be follows from what earlier nodes and the user said. A "
        "key is written node/field, as in vat_0001/colour; its value is the one told last. Where a key is asked for, "
        "answer with the key as written; where a number is asked for, with digits. If you do not know, answer unknown. "
        "Files that an instruction names can be read again with reread."
    ),
    task=(
        "Run the whole graph: {horizon} nodes in {subtasks} sections, one a step. A node takes its input from what "
        "nodes long before it gave out, so keep what may be wanted."
    ),
    target="node",
    phases=(
        ("feed", "input", "Give a node its input."),
        ("link", "input", "Link a node to what it depends on."),
        ("merge", "input", "Merge the branches that meet in a node."),
    ),
    orders=(
        "Call `<tool>` on <e>.",
        "<e> is up, use `<tool>`.",
        "Now `<tool>` <e>.",
        "The next node is <e>; it wants `<tool>`.",
        "Run `<tool>` so that <e> can start.",
    ),
    idle=(
        "No input here: call `<tool>` on <e>.",
        "<e> stands alone, `<tool>` is enough.",
        "Only `<tool>` for <e>.",
        "Pass <e> with `<tool>`.",
    ),
    acknowledgements=(
        "<e> started by <tool>, run <v>.",
        "<tool> of <e> returned after <n> ms.",
        "<e> finished (<tool>, job <v>).",
        "Output of <e> follows, <n> lines before the cut.",
        "<tool>: <e> left the queue as <v>.",
    ),
    openers=(
        "", "", "It turns out that ", "The sheet says that ", "The foreman says that ", "Meanwhile ", "As planned, ",
    ),
    forms={
        **STRUCTURED,
        "prose": Forms(
            plain=(
                "<e> gave out the <a> <v>.",
                "<e> carries <v> as its <a>.",
                "<e> left <a> <v> behind.",
                "<e> answers to <v> where a <a> is wanted.",
                "<e> ended up with <a> <v>.",
                "<e> holds the <a>, namely <v>.",
            ),
            change=(
                "<e> ran once more and has <a> <v> now, not <o>.",
                "<e> traded its <a> <o> for <v>.",
                "<e> gave up <o> and uses <v> as <a>.",
                "<e> lists <v> where <a> <o> stood before.",
                "<e> had its <a> renewed from <o> to <v>.",
            ),
            amount=(
                "<e> took in <v> <a>.",
                "<e> books another <v> <a>.",
                "<e> was charged <v> <a> this time.",
                "<e> reports <v> further <a>.",
                "<e> goes up by <v> <a>.",
            ),
        ),
        "log": Forms(
            plain=(
                "<e> <a>=<v>",
                "<e> emitted <a> <v>",
                "<e> >> <a> : <v>",
                "<e> ready, <a> is <v>",
                "<e> (<a> <v>)",
            ),
            change=(
                "<e> <a>=<v> instead of <o>",
                "<e> emitted new <a> <v> for <o>",
                "<e> >> <a> : <o> => <v>",
                "<e> rerun, <a> was <o> and is <v>",
                "<e> (<a> <v>, dropped <o>)",
            ),
            amount=(
                "<e> <a>+=<v>",
                "<e> emitted <v> <a>",
                "<e> >> <v> <a>",
                "<e> booked, <v> <a> more",
                "<e> (<v> <a>)",
            ),
        ),
    },
    subjects=("runner", "broker", "ledger", "cooler", "belt", "relay", "gauge", "hopper", "valve", "clutch"),
    chatter=(
        "Nobody has touched <e> since the inspection.",
        "The belt moved <n> crates before noon.",
        "Report <v> was filed and needs no answer.",
        "There is a spare part for <e> on shelf <v>.",
        "The crew counted <n> bolts and went home.",
        "A visitor asked about <e>, and was shown around.",
        "The clock in the hall is <n> seconds late.",
        "Badge <v> opens the side door again.",
        "Oil pressure held at <n> all day.",
        "Paint for <e> is ordered under <v>.",
        "The siren test at noon took <n> seconds.",
    ),
)  # fmt: skip


def graph(**settings: Any) -> Generated:
    """The task: settings of `Dials` and `Generated`."""
    return build(FAMILY, settings)
