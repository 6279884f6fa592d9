"""Family `refinement`: a file a subtask goes through rounds of edit and test; each test output overtakes the last."""

from __future__ import annotations

from typing import Any

from tasks.family import Family, Forms, Lexicon
from tasks.generated import Generated, build
from tasks.wording import STRUCTURED

_LEXICON = Lexicon(
    nouns=("solver", "parser", "planner", "sampler", "encoder", "matcher", "router", "merger", "scanner", "tuner"),
    suffixes=(".py", ".ts", ".go", ".rs"),
    codes=(
        "signature", "import", "constant", "helper", "default", "flag", "baseline", "alias", "module", "caller",
        "macro", "license",
    ),
    modes=("status", "style", "target", "tier", "policy"),
    tallies=("calls", "misses", "allocations", "branches"),
    running=(
        "assertion", "line", "parameter", "case", "diff", "frame", "seed", "expected", "actual", "hunk", "snapshot",
        "fixture",
    ),
    folder="src",
    part="file",
    hosts=5,
    room=8,
)  # fmt: skip

FAMILY = Family(
    name="refinement",
    lexicon=_LEXICON,
    system=(
        "You refine program files through tools. Each instruction names one tool and the file at hand; call exactly "
        "that tool once. What its open argument must be follows from test output, from other files and from what "
        "the user has said so far. A key is written file/field, as in demo_0001.py/colour; its value is the one "
        "told last: the newest test output overtakes the ones before. Where a key is asked for, answer with the key "
        "as written; where a number is asked for, with digits. If you do not know, answer unknown. Files that an "
        "instruction names can be read again with reread."
    ),
    task=(
        "Make {subtasks} files pass, one after the other, in {horizon} steps of editing and testing. Each file "
        "needs many rounds; what a round reports holds until the next one says otherwise."
    ),
    target="file",
    phases=(
        ("edit", "patch", "Edit the file at hand."),
        ("run_tests", "focus", "Run the tests of the file at hand."),
    ),
    cycle=True,
    orders=(
        "Call `<tool>` on <e>.",
        "Next, `<tool>` for <e>.",
        "Please `<tool>` with <e> once more.",
        "Another round: `<tool>` on <e>.",
        "<e> is not there yet, use `<tool>`.",
    ),
    idle=(
        "Nothing to fill in: call `<tool>` for <e>.",
        "Only `<tool>` on <e>.",
        "A plain `<tool>` of <e> is enough.",
        "Let <e> pass with `<tool>`.",
    ),
    acknowledgements=(
        "<tool> on <e> took <n> ms, run <v>.",
        "<e>: <tool> finished as <v>.",
        "Ran <tool> for <e> (<v>).",
        "<tool> went over <n> lines of <e>.",
        "<tool> over, log kept as <v>.",
    ),
    openers=(
        "", "", "The report says that ", "Note that ", "As before, ", "In this round ", "By the way, ",
        "It seems that ",
    ),
    forms={
        **STRUCTURED,
        "prose": Forms(
            plain=(
                "<e> has <v> as its <a>.",
                "<e> shows the <a> <v>.",
                "<e> comes out with <a> <v>.",
                "<e> names <v> as <a>.",
                "<e> puts its <a> at <v>.",
                "<e> goes with the <a> called <v>.",
            ),
            change=(
                "<e> moved on from <a> <o> to <v>.",
                "<e> no longer shows the <a> <o> but <v>.",
                "<e> now has <v> instead of <o> as its <a>.",
                "<e> changed the <a>: <v>, not <o> any more.",
                "<e> left <o> behind, the <a> is <v>.",
            ),
            amount=(
                "<e> counts <v> <a> in this round.",
                "<e> ended with another <v> <a>.",
                "<e> makes <v> <a> more.",
                "<e> adds up <v> <a> here.",
                "<e> reports <v> further <a>.",
            ),
        ),
        "log": Forms(
            plain=(
                "<e>: <a>=<v>",
                "<e> <a> -> <v>",
                "<e> [<a>] <v>",
                "<e> tested, <a> is <v>",
                "<e> | <a> seen: <v>",
            ),
            change=(
                "<e>: <a>=<v> (was <o>)",
                "<e> <a> <o> -> <v>",
                "<e> [<a>] <o> replaced by <v>",
                "<e> tested again, <a> is <v> after <o>",
                "<e> | <a> now <v>, before <o>",
            ),
            amount=(
                "<e>: <a>+=<v>",
                "<e> <v> <a> in this round",
                "<e> [<a>] +<v>",
                "<e> closed with <v> <a>",
                "<e> | <v> <a> counted",
            ),
        ),
    },
    subjects=("pytest", "linker", "linter", "profiler", "cache", "watcher", "loader", "tracer", "pool", "daemon"),
    chatter=(
        "The warm-up of <e> was skipped.",
        "Collected <n> items, none of them new.",
        "A deprecation notice under <v> can be ignored.",
        "The slowest test took <n> ms.",
        "<n> lines were reformatted on the way.",
        "Somebody left a comment beside <e>; it asks for nothing.",
        "The cache was empty and has been filled (<v>).",
        "Coverage of <e> is the same as last week.",
        "The machine was busy for <n> seconds.",
        "A temporary file <v> was removed.",
        "The type checker had no remarks on <e>.",
        "Random order was used, see run <v>.",
    ),
)  # fmt: skip


def refinement(**settings: Any) -> Generated:
    """The task: settings of `Dials` and `Generated`, with 16 rounds a file and mostly refining by default."""
    return build(FAMILY, {"subtasks": 5, "running": 3, "churn": 0.4, "exploring": 0.35} | settings)
