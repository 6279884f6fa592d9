"""Family `pipeline`: batches of files are read, converted, mended and aggregated, under rules told at the start."""

from __future__ import annotations

from typing import Any

from tasks.family import Family, Forms, Lexicon
from tasks.generated import Generated, build
from tasks.wording import STRUCTURED

_LEXICON = Lexicon(
    nouns=("orders", "invoices", "stock", "returns", "clients", "ledger", "visits", "parcels", "meters", "claims"),
    suffixes=(".csv", ".tsv", ".json", ".xml", ".log"),
    codes=(
        "delimiter", "encoding", "locale", "schema", "checksum", "collation", "owner", "profile", "parser", "mask",
        "header", "timezone",
    ),
    modes=("mode", "lane", "tier", "policy", "stage"),
    tallies=("rejects", "repairs", "skips", "merges"),
    rules=(
        "dates", "decimals", "currency", "names", "addresses", "phones", "units", "nulls", "rounding", "casing",
        "identifiers", "percentages",
    ),
    folder="inbox",
    part="batch",
    hosts=4,
    room=8,
)  # fmt: skip

FAMILY = Family(
    name="pipeline",
    lexicon=_LEXICON,
    system=(
        "You run a data pipeline through tools. Each instruction names one tool and its batch; call exactly that tool "
        "once. What its open argument must be follows from what files, logs and the user have said so far. A key is "
        "written owner/field, as in parts_0001.csv/quoting; its value is the one told last. Where a key is asked for, "
        "answer with the key as written; where a number is asked for, with digits. If you do not know, answer unknown. "
        "Files that an instruction names can be read again with reread."
    ),
    task=(
        "Bring all {subtasks} batches from the raw files to the report, in {horizon} steps. Every batch is read, "
        "converted, cleared of errors and aggregated. The standing formats are told once, at the start, and hold for "
        "all batches; a format that is told for one batch replaces the standing one in that batch only."
    ),
    target="batch",
    phases=(
        ("read_files", "setting", "Read the files of a batch with a setting."),
        ("convert", "format", "Convert a batch to a format."),
        ("handle_errors", "choice", "Deal with the errors of a batch."),
        ("aggregate", "figure", "Add the figures of a batch to the report."),
    ),
    orders=(
        "Call `<tool>` for <e>.",
        "Next comes `<tool>` on <e>.",
        "Please run `<tool>` with <e> now.",
        "Go on with `<tool>`, batch <e>.",
        "<e> is ready for `<tool>`.",
    ),
    idle=(
        "Nothing to fill in here: call `<tool>` for <e>.",
        "Just `<tool>` with <e>.",
        "This one is plain, `<tool>` on <e> will do.",
        "Let <e> pass on with `<tool>`.",
    ),
    acknowledgements=(
        "<tool> took <n> ms on <e>, ticket <v>.",
        "<e>: <tool> accepted as <v>.",
        "Noted <tool> for <e> (<v>).",
        "<tool> ran, <n> rows went through <e>.",
        "Done with <tool>, receipt <v>.",
    ),
    openers=(
        "", "", "Note that ", "For the record, ", "As the provider wrote, ", "From the handover, ", "By the way, ",
        "After a look at the samples, ",
    ),
    forms={
        **STRUCTURED,
        "prose": Forms(
            plain=(
                "<e> has <v> as its <a>.",
                "<e> comes with the <a> <v>.",
                "<e> goes by <v> for <a>.",
                "<e> should be taken with <a> <v>.",
                "<e> settles its <a>: it is <v>.",
                "<e> was agreed to have <a> <v>.",
            ),
            change=(
                "<e> switched its <a> from <o> to <v>.",
                "<e> no longer has <a> <o> but <v>.",
                "<e> now has <v> instead of <o> as its <a>.",
                "<e> gets a corrected <a>, <v> and not <o>.",
                "<e> had <o> for <a> by mistake, the right one is <v>.",
            ),
            amount=(
                "<e> had <v> <a> in this pass.",
                "<e> ended with another <v> <a>.",
                "<e> adds <v> <a> to what there was.",
                "<e> brought <v> more <a>.",
                "<e> closes the round at <v> <a>.",
            ),
        ),
        "log": Forms(
            plain=(
                "<e>: <a>=<v>",
                "<e> <a> -> <v>",
                "<e> [<a>] <v>",
                "<e> opened with <a> <v>",
                "<e> | <a> resolved to <v>",
            ),
            change=(
                "<e>: <a>=<v> (was <o>)",
                "<e> <a> <o> -> <v>",
                "<e> [<a>] <o> replaced by <v>",
                "<e> opened again, <a> <v> in place of <o>",
                "<e> | <a> override <v>, before <o>",
            ),
            amount=(
                "<e>: <a>+=<v>",
                "<e> <v> <a> in this pass",
                "<e> [<a>] +<v>",
                "<e> closed with <v> <a>",
                "<e> | <v> <a> counted",
            ),
        ),
    },
    subjects=("loader", "parser", "spool", "writer", "cache", "sink", "index", "quota", "mailer", "scheduler"),
    chatter=(
        "The night run of <e> finished without remarks.",
        "Ticket <v> about slow disks is still open, but nobody has complained this week.",
        "We had <n> visitors on the status page, mostly from the finance floor.",
        "Somebody moved <e> to the archive and back; nothing was lost.",
        "The colleague on call can be reached under <v>.",
        "About <n> rows were sampled by hand and looked sound.",
        "The dashboard shows build <v> and a green light.",
        "Please keep <e> out of the weekly mail, it is too long.",
        "The provider promises to answer within <n> hours.",
        "An old copy of <e> was found on drive <v>.",
        "Storage is at <n> GB, which is fine until the end of the quarter.",
        "The audit asked for run <v>, and it has been sent.",
    ),
)  # fmt: skip


def pipeline(**settings: Any) -> Generated:
    """The task: settings of `Dials` and `Generated`, with standing rules by default."""
    return build(FAMILY, {"rules": 2, "rule_share": 0.25, "temporary": 0.3} | settings)
