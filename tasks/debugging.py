"""Family `debugging`: a hunt through long logs; theories are refuted, decisions have reasons, errors have places."""

from __future__ import annotations

from typing import Any

from tasks.debugging_words import LOG, PROSE
from tasks.family import Ban, Family, Lexicon
from tasks.generated import Generated, build
from tasks.wording import STRUCTURED

_BAN = Ban(
    kind="hypothesis",
    fields=("leak", "race", "overflow", "deadlock", "drift", "starvation", "truncation", "misconfiguration"),
    states=("refuted", "open"),
    event="refuted_again",
    ops=("except",),
    asks={
        "except": (
            "Set <arg> to one of the theories <keys>; at a glance it looks like <default>.",
            "For <arg> choose among <keys> what to test now, say <default>.",
            "Its <arg> is the theory to follow, out of <keys>. <default> would fit the symptoms.",
            "Fill <arg> with one of <keys>. My first thought was <default>.",
            "As <arg> it takes a theory from <keys>; <default> is quickly tested.",
        ),
    },
    spoken=False,
)

_LEXICON = Lexicon(
    nouns=("worker", "parser", "socket", "buffer", "mutex", "loader", "shard", "session", "handler", "driver"),
    suffixes=("",),
    codes=(
        "origin", "culprit", "raiser", "reason", "motive", "build", "commit", "flag", "fixture", "dump", "trace",
        "thread",
    ),
    modes=("severity", "state", "suite", "platform", "status"),
    tallies=("failures", "retries", "stalls", "warnings"),
    folder="dumps",
    part="fault",
    kinds={
        "origin": "location", "culprit": "location", "raiser": "location", "reason": "reason", "motive": "reason",
    },
    frames={
        "origin": ("flush.py", "fold.py", "merge.py", "retry.py", "commit.py"),
        "culprit": ("flush.py", "fold.py", "merge.py", "retry.py", "commit.py"),
        "raiser": ("flush.py", "fold.py", "merge.py", "retry.py", "commit.py"),
        "reason": ("latency", "licence", "portability", "memory", "audit"),
        "motive": ("latency", "licence", "portability", "memory", "audit"),
    },
    ban=_BAN,
    hosts=4,
    room=10,
)  # fmt: skip

FAMILY = Family(
    name="debugging",
    lexicon=_LEXICON,
    system=(
        "You hunt faults in a large program through tools. Each instruction names one tool and its fault; call exactly "
        "that tool once. What its open argument must be follows from what logs, dumps, code and the user have said so "
        "far. A key is written owner/field, as in valve_0001/colour; its value is the one told last. A theory is a key "
        "too, such as valve_0001/rust; once a test has refuted it, it is not tried again unless a later test opens it "
        "anew. Instructions may suggest a theory without knowing what was tested; where they leave a choice, take one "
        "that is not refuted. Where a key is asked for, answer with the key as written; where a number is asked for, "
        "with digits. If you do not know, answer unknown. Files that an instruction names can be read again with "
        "reread."
    ),
    task=(
        "Get through {subtasks} faults in {horizon} steps. Decisions and their reasons are told once; the report at "
        "the end of each fault may come back to them, and to places where earlier errors arose."
    ),
    target="fault",
    phases=(
        ("inspect", "clue", "Inspect the logs of a fault."),
        ("test_theory", "subject", "Test a theory about a fault."),
        ("patch", "change", "Patch the program for a fault."),
        ("report", "finding", "Write a finding into the report on a fault."),
    ),
    orders=(
        "Call `<tool>` for <e>.",
        "Go on to `<tool>` on <e>.",
        "<e> is due for `<tool>`.",
        "Please use `<tool>`, on <e>.",
        "Time for `<tool>` with <e>.",
    ),
    idle=(
        "Nothing to fill in: call `<tool>` for <e>.",
        "Only let `<tool>` run on <e>.",
        "<e> takes `<tool>` and nothing else.",
        "Keep going with `<tool>` on <e>.",
    ),
    acknowledgements=(
        "<tool> on <e> ended after <n> ms, session <v>.",
        "<e>: output of <tool> follows (<n> lines kept).",
        "<tool> attached to <e> as <v>.",
        "<e> answered <tool> with exit code 0, log <v>.",
        "<tool> for <e> is through, <n> frames read.",
    ),
    openers=(
        "", "", "As far as I can see, ", "According to the tracker, ", "The bisection says that ", "In the meantime ",
        "From the chat, ",
    ),
    forms={
        **STRUCTURED,
        "prose": PROSE,
        "log": LOG,
    },
    subjects=(
        "kernel", "allocator", "scheduler", "codec", "cache", "journal", "resolver", "watchdog", "bridge", "spooler",
    ),
    chatter=(
        "The nightly build <v> is green again.",
        "Nobody could reproduce anything on <e> since Tuesday.",
        "The <s> prints <n> warnings at start, all of them old.",
        "Somebody left a debugger attached to <e> over the weekend.",
        "The flame graph of <v> shows nothing new in the <s>.",
        "There are <n> open tickets, down by a few.",
        "A fuzzer ran against <e> for <n> minutes and found nothing.",
        "The <s> was rewritten last year, and its tests pass.",
        "A vendor promised a patch for the <s> under case <v>.",
        "Coverage of <e> rose a little with change <v>.",
        "The heap of the <s> stays at <n> MB.",
        "We agreed to look at <e> after the release.",
        "The staging machine rebooted, <n> seconds of logs are lost.",
    ),
)  # fmt: skip


def debugging(**settings: Any) -> Generated:
    """The task: settings of `Dials` and `Generated`, with theories that get refuted, and long logs by default."""
    logs = {"noise_tokens": 160, "styles": ("log", "log", "code", "prose", "json")}
    return build(FAMILY, {"bans": 10, "ban_steps": 55, "ban_share": 0.25, "lifted": 0.25} | logs | settings)
