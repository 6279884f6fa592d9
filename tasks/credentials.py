"""Family `credentials`: keys, endpoints and settings that the user tells early and that are used late, some rotated."""

from __future__ import annotations

from typing import Any

from tasks.family import Family, Forms, Lexicon
from tasks.generated import Generated, build
from tasks.wording import STRUCTURED

_HOSTS = ("eu-gw.internal", "us-gw.internal", "edge.internal", "api.internal", "hub.internal")
_LEXICON = Lexicon(
    nouns=("billing", "search", "mailer", "vault", "metrics", "catalog", "archive", "reports", "signup", "ledger"),
    suffixes=("",),
    codes=(
        "key", "secret", "passphrase", "certificate", "token", "endpoint", "host", "gateway", "bucket", "namespace",
        "profile", "cluster", "queue", "account",
    ),
    modes=("region", "tier", "scope", "protocol", "channel"),
    tallies=("seats", "grants", "quotas", "renewals"),
    folder="runbook",
    part="rollout",
    kinds={
        **dict.fromkeys(("key", "secret", "passphrase", "certificate", "token"), "credential"),
        **dict.fromkeys(("endpoint", "host", "gateway"), "endpoint"),
        **dict.fromkeys(("bucket", "namespace", "profile", "cluster", "queue", "account"), "setting"),
    },
    frames=dict.fromkeys(("endpoint", "host", "gateway"), _HOSTS),
    spoken_kinds=("credential", "endpoint", "setting"),
    hosts=4,
    room=8,
)  # fmt: skip

FAMILY = Family(
    name="credentials",
    lexicon=_LEXICON,
    system=(
        "You roll services out through tools. Each instruction names one tool and its rollout; call exactly that tool "
        "once. What its open argument must be follows from what the user and the tools have said so far, mostly at the "
        "beginning. A key is written owner/field, as in pager_0001/colour; its value is the one told last, since keys "
        "are rotated. Where a key is asked for, answer with the key as written; where a number is asked for, with "
        "digits. If you do not know, answer unknown. Pages of the runbook that an instruction names can be read again "
        "with reread."
    ),
    task=(
        "Take {subtasks} rollouts through in {horizon} steps. The user hands over keys, endpoints and settings of the "
        "services in the beginning, and will not say them again; a few are replaced on the way."
    ),
    target="rollout",
    phases=(
        ("connect", "access", "Connect a rollout to a service."),
        ("configure", "setting", "Configure a rollout."),
        ("deploy", "parameter", "Deploy a rollout."),
        ("verify", "expectation", "Verify a rollout."),
    ),
    orders=(
        "Call `<tool>` for <e>.",
        "<e> is waiting, use `<tool>`.",
        "Now `<tool>` on <e>, please.",
        "The next thing is `<tool>` for <e>.",
        "Let us `<tool>` and get <e> on.",
    ),
    idle=(
        "Nothing to fill in: call `<tool>` for <e>.",
        "<e> needs no input, `<tool>` does it.",
        "Simply `<tool>` with <e>.",
        "`<tool>` on <e>, and on we go.",
    ),
    acknowledgements=(
        "<tool> of <e> took <n> ms, change <v>.",
        "<e>: <tool> went out as <v>.",
        "<tool> done, <n> hosts of <e> answered.",
        "Change <v> (<tool>, <e>) is recorded.",
        "<e> passed <tool> after <n> ms.",
    ),
    openers=(
        "", "", "From the password safe: ", "For later: ", "Please note, ", "As the owners told me, ", "Handing over, ",
        "You will want this: ",
    ),
    forms={
        **STRUCTURED,
        "prose": Forms(
            plain=(
                "<e> uses <v> as its <a>.",
                "<e> is reached with the <a> <v>.",
                "<e> has the <a> <v>.",
                "<e> expects <v> for its <a>.",
                "<e> was set up with <v>, that is the <a>.",
                "<e> goes with <a> <v>.",
            ),
            change=(
                "<e> had its <a> rotated from <o> to <v>.",
                "<e> no longer takes <o>, the <a> is <v>.",
                "<e> retired the <a> <o> in favour of <v>.",
                "<e> gave up <o> last night and answers to <v> as <a>.",
                "<e> needs <a> <v> from now on and not <o>.",
            ),
            amount=(
                "<e> was granted <v> <a>.",
                "<e> books <v> more <a>.",
                "<e> received another <v> <a>.",
                "<e> adds <v> <a> to its plan.",
                "<e> pays for <v> further <a>.",
            ),
        ),
        "log": Forms(
            plain=(
                "<e>: <a>=<v>",
                "<e> <a> loaded, <v>",
                "<e> [<a>] <v>",
                "<e> started with <a> <v>",
                "<e> | <a> is <v>",
            ),
            change=(
                "<e>: <a>=<v> (replaces <o>)",
                "<e> <a> reloaded, <o> out, <v> in",
                "<e> [<a>] <o> rotated to <v>",
                "<e> started again, <a> <v> after <o>",
                "<e> | <a> was <o>, is <v>",
            ),
            amount=(
                "<e>: <a>+=<v>",
                "<e> <v> <a> granted",
                "<e> [<a>] +<v>",
                "<e> opened <v> <a>",
                "<e> | <v> <a> more",
            ),
        ),
    },
    subjects=("agent", "proxy", "loader", "probe", "cache", "router", "watcher", "quota", "mailer", "scheduler"),
    chatter=(
        "The window for <e> is open for another <n> minutes.",
        "Change request <v> is closed.",
        "About <n> clients were moved without a complaint.",
        "The owners of <e> are in another time zone.",
        "Pager <v> is with the night shift.",
        "Last month's bill for <e> was paid.",
        "We kept <n> log lines and dropped the rest.",
        "Nobody has used dashboard <v> for weeks.",
        "The handbook mentions <e> on page <n>.",
        "The freeze ends in <n> hours.",
        "Build <v> is green on all machines.",
    ),
)  # fmt: skip


def credentials(**settings: Any) -> Generated:
    """The task: settings of `Dials` and `Generated`; by default nearly all is told in the first steps."""
    own = {
        "ops": {"value": 7, "join": 6, "first": 1, "last": 1, "absent": 2, "except": 2, "count": 1, "sum": 1},
        "laws": {"credential": "early", "endpoint": "early", "setting": "early"},
        "early": 16, "reuse": 0.6, "updates": 0.25, "reread": 0.2, "crowd": 22, "noise_tokens": 70,
    }  # fmt: skip
    return build(FAMILY, own | settings)
