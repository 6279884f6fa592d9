"""The words of family `debugging`: how its facts are told in prose and in logs, changed, and added up."""

from __future__ import annotations

from tasks.family import Forms

_HYPOTHESIS = Forms(
    plain=(
        "<e> was checked for <a>, and that is <v>.",
        "<e> underwent a test for <a> with the outcome <v>.",
        "<e> as a case of <a>: <v>.",
        "<e> and the <a> we suspected there, <v> by the last experiment.",
        "<e> may suffer from <a>, they said; I would call that <v>.",
    ),
    change=(
        "<e> was tested for <a> once more and is no longer <o> but <v>.",
        "<e> had <a> down as <o>, yet the new run makes it <v>.",
        "<e> moves from <o> to <v> as far as <a> goes.",
        "<e> is not <o> but <v> on the <a> theory, the first test was flawed.",
        "<e> with its <a> counted as <o>; a better test says <v>.",
    ),
)
_REASON = Forms(
    plain=(
        "<e> was decided on with the <a> <v>.",
        "<e> was left as it is, and the <a> given was <v>.",
        "<e> got its workaround; <v> was the <a>.",
        "<e> is pinned to the old version, the <a> being <v>.",
        "<e> has <v> as the <a> for what we did there.",
    ),
    change=(
        "<e> was decided on with the <a> <v> and not <o>.",
        "<e> lost its old <a> <o>, what counts is <v>.",
        "<e> has <v> for a <a> since <o> went away.",
        "<e> stays as it is, but the <a> went from <o> to <v>.",
        "<e> was put down to <o> as its <a>; the minutes now say <v>.",
    ),
)
_LOCATION = Forms(
    plain=(
        "<e> has its <a> in <v>.",
        "<e> fails with <v> as the <a>.",
        "<e> was traced to the <a> at <v>.",
        "<e> breaks off where <v> is the <a>.",
        "<e> leads to <v>, which is the <a>.",
    ),
    change=(
        "<e> has its <a> in <v> since the refactoring, no more in <o>.",
        "<e> was traced to <o> as its <a> by mistake, it is <v>.",
        "<e> moved its <a> from <o> to <v>.",
        "<e> does not fail at <o>, the <a> is <v>.",
        "<e> leads past <o> to <v>, the real <a>.",
    ),
)

PROSE = Forms(
    plain=(
        "<e> was seen with <v> as its <a>.",
        "<e> runs under the <a> <v>.",
        "<e> shows <v> for <a>.",
        "<e> is tied to <a> <v>.",
        "<e> was reproduced with <a> <v>.",
        "<e> carries the <a> <v> in every report.",
    ),
    change=(
        "<e> runs under <a> <v> after <o> was dropped.",
        "<e> shows <v> for <a> where it had <o>.",
        "<e> was tied to <o>, but its <a> is <v> by now.",
        "<e> had its <a> bumped from <o> to <v>.",
        "<e> was reported with <a> <o>, correct is <v>.",
    ),
    amount=(
        "<e> had <v> <a> in this run.",
        "<e> produced another <v> <a>.",
        "<e> went through <v> more <a>.",
        "<e> gave <v> <a> under load.",
        "<e> adds <v> <a> to the count.",
    ),
    kinds={"hypothesis": _HYPOTHESIS, "reason": _REASON, "location": _LOCATION},
)
LOG = Forms(
    plain=(
        "<e>: <a>=<v>",
        "<e> <a> <v>",
        "<e> [<a>] <v>",
        "<e> attached, <a> is <v>",
        "<e> | <a> set to <v>",
    ),
    change=(
        "<e>: <a>=<v> (<o> before)",
        "<e> <a> <o> -> <v>",
        "<e> [<a>] <o> superseded by <v>",
        "<e> attached again, <a> is <v>, was <o>",
        "<e> | <a> set from <o> to <v>",
    ),
    amount=(
        "<e>: <v> <a>",
        "<e> <a>+=<v>",
        "<e> [<a>] +<v>",
        "<e> sampled, <v> new <a>",
        "<e> | <v> <a> in this window",
    ),
    kinds={
        "hypothesis": Forms(
            plain=(
                "<e>: <a> theory <v>",
                "<e> experiment on <a> finished, <v>",
                "<e> [theory <a>] <v>",
                "<e> probe for <a> says <v>",
                "<e> | <a> suspected, now <v>",
            ),
            change=(
                "<e>: <a> theory <v> (<o> before)",
                "<e> experiment on <a> repeated, <o> -> <v>",
                "<e> [theory <a>] <o> superseded by <v>",
                "<e> probe for <a> says <v>, said <o>",
                "<e> | <a> suspected, from <o> to <v>",
            ),
        ),
        "location": Forms(
            plain=(
                "<e> traceback ends, <a> at <v>",
                "<e> raised, <a> <v>",
                "<e>: top frame (<a>) <v>",
                "<e> core dumped, <a> in <v>",
                "<e> | unwound to <a> <v>",
            ),
            change=(
                "<e> traceback ends, <a> at <v> instead of <o>",
                "<e> raised, <a> <o> -> <v>",
                "<e>: top frame (<a>) <v>, was <o>",
                "<e> core dumped, <a> in <v>, formerly <o>",
                "<e> | unwound past <o> to <a> <v>",
            ),
        ),
    },
)
