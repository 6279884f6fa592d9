"""Family `branching`: one program on several branches; work on one is left for another and taken up again later."""

from __future__ import annotations

from typing import Any

from tasks.family import Family, Forms, Lexicon
from tasks.generated import Generated, build
from tasks.wording import STRUCTURED

_BRANCHES = ("main", "hotfix", "trial", "legacy", "port")

_LEXICON = Lexicon(
    nouns=("parser", "router", "loader", "mailer", "cache", "worker", "schema", "client", "broker", "widget"),
    suffixes=tuple(f".{branch}" for branch in _BRANCHES),
    codes=(
        "revision", "checksum", "pin", "patch", "build", "tag", "fixture", "snapshot", "endpoint", "bucket", "feature",
        "ticket",
    ),
    modes=("status", "owner", "reviewer", "lane", "policy"),
    tallies=("failures", "warnings", "todos", "skips"),
    branches=_BRANCHES,
    folder="tree",
    part="branch",
    hosts=4,
    room=18,
)  # fmt: skip

FAMILY = Family(
    name="branching",
    lexicon=_LEXICON,
    system=(
        "You work on several branches of one program through tools. Each instruction names one tool and its branch; "
        "call exactly that tool once. What its open argument must be follows from what files, logs and the user "
        "have said so far. The same part of the program differs from branch to branch: part_0001.draft is the part "
        "as it is on the branch draft. A key is written part.branch/field, as in part_0001.draft/colour; its value "
        "is the one told last. Where a key is asked for, answer with the key as written; where a number is asked "
        "for, with digits. If you do not know, answer unknown. Files that an instruction names can be read again "
        "with reread."
    ),
    task=(
        "Bring the branches to a state that can be merged, in {horizon} steps. Work changes from one branch to "
        "another {subtasks} times, counting the first. Whoever comes back to a branch goes on where it was left."
    ),
    target="branch",
    phases=(
        ("inspect", "aspect", "Look at the state of a branch."),
        ("edit", "change", "Change something on a branch."),
        ("verify", "check", "Check a branch."),
    ),
    orders=(
        "Call `<tool>` on <e>.",
        "On <e>, `<tool>` is next.",
        "Please run `<tool>` for <e> now.",
        "Go on with `<tool>` of <e>.",
        "<e> wants `<tool>`.",
    ),
    idle=(
        "Nothing to fill in: call `<tool>` on <e>.",
        "Just `<tool>` for <e>.",
        "A plain `<tool>` of <e> will do.",
        "Let <e> go on with `<tool>`.",
    ),
    switches=(
        "Leave <o> as it is and check out <e>.",
        "Enough of <o> for now, the work on <e> comes first.",
        "<o> has to wait; switch to <e>.",
        "Put <o> aside, the turn is that of <e>.",
        "Work moves from <o> to <e>.",
    ),
    acknowledgements=(
        "<tool> on <e> took <n> ms, job <v>.",
        "<e>: <tool> recorded as <v>.",
        "Ran <tool> on <e> (<v>).",
        "<tool> went through <n> files of <e>.",
        "<tool> done, receipt <v>.",
    ),
    openers=(
        "", "", "Note that ", "In the review it says that ", "For the record, ", "As the log shows, ", "By the way, ",
        "After the last rebase, ",
    ),
    forms={
        **STRUCTURED,
        "prose": Forms(
            plain=(
                "<e> has <v> as its <a>.",
                "<e> carries the <a> <v>.",
                "<e> was committed with <a> <v>.",
                "<e> lists <v> under <a>.",
                "<e> relies on the <a> named <v>.",
                "<e> stands at <a> <v>.",
            ),
            change=(
                "<e> moved its <a> from <o> to <v>.",
                "<e> dropped the <a> <o> in favour of <v>.",
                "<e> now has <v> where the <a> was <o>.",
                "<e> got a new <a>, <v> in place of <o>.",
                "<e> had <o> for <a>, since the last commit it is <v>.",
            ),
            amount=(
                "<e> shows <v> <a> in this run.",
                "<e> ended with another <v> <a>.",
                "<e> collects <v> further <a>.",
                "<e> brought up <v> <a>.",
                "<e> adds <v> <a> to the list.",
            ),
        ),
        "log": Forms(
            plain=(
                "<e>: <a>=<v>",
                "<e> <a> -> <v>",
                "<e> [<a>] <v>",
                "<e> checked out, <a> is <v>",
                "<e> | <a> found: <v>",
            ),
            change=(
                "<e>: <a>=<v> (was <o>)",
                "<e> <a> <o> -> <v>",
                "<e> [<a>] <o> replaced by <v>",
                "<e> committed, <a> is <v> and no longer <o>",
                "<e> | <a> now <v>, before <o>",
            ),
            amount=(
                "<e>: <a>+=<v>",
                "<e> <v> <a> in this run",
                "<e> [<a>] +<v>",
                "<e> closed with <v> <a>",
                "<e> | <v> <a> counted",
            ),
        ),
    },
    subjects=("linter", "runner", "fetcher", "bundler", "index", "watcher", "mirror", "quota", "hook", "daemon"),
    chatter=(
        "Nobody has reviewed <e> this week.",
        "The mirror is <n> minutes behind.",
        "Run <v> was cancelled because a newer one had begun.",
        "A colleague asks whether <e> can go; there is no hurry.",
        "The nightly build took <n> minutes.",
        "Somebody renamed <e> and renamed it back.",
        "The formatter touched <n> lines, all of them blanks.",
        "Pull request <v> is waiting for a label.",
        "The hook warns about long lines, as always.",
        "Disk use on the runner is at <n> GB.",
        "There is a sketch of <e> on the whiteboard.",
        "The dashboard is green again since run <v>.",
    ),
)  # fmt: skip


def branching(**settings: Any) -> Generated:
    """The task: settings of `Dials` and `Generated`, with three branches by default."""
    return build(FAMILY, {"reach": 30, "strands": 3} | settings)
