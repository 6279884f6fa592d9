"""Words and sentences from which private wordings are drawn (`tasks.private`)."""

NOUNS = (
    "cedar", "amber", "comet", "delta", "ember", "falcon", "garnet", "harbor", "indigo", "jasmine", "lantern", "maple",
    "nectar", "onyx", "pepper", "quartz", "raven", "saffron", "tango", "umber", "velvet", "willow", "zephyr", "anchor",
    "beacon", "canyon", "dagger", "eagle", "forest", "glacier", "hazel", "iris", "jungle", "kernel", "lotus", "meadow",
    "nova", "ocean", "panda", "rocket", "silver", "temple", "vector", "winter", "yellow", "zebra",
)

FIELDS = (
    "pitch", "grain", "depth", "angle", "cover", "frame", "gauge", "handle", "index", "joint", "label", "layer",
    "level", "limit", "link", "lock", "margin", "marker", "match", "mount", "name", "node", "order", "panel",
    "pattern", "phase", "pin", "plan", "plate", "point", "port", "range", "rank", "rate", "ratio", "ring", "root",
    "route", "scale", "seat", "shape", "share", "sheet", "side", "sign", "slot", "source", "space", "span", "spring",
    "stack", "stage", "stand", "state", "step", "strip", "switch", "table", "tag", "tail", "term", "title", "trace",
    "track", "trim", "type", "unit", "valve", "view", "wave", "weight", "wheel", "width", "wing", "wire", "zone",
)

OPENERS = (
    "To be clear, ", "As agreed last week, ", "In case it matters, ", "One more thing: ",
    "From what I gather, ", "As of this morning, ", "It was settled that ", "Please bear in mind that ",
    "On paper, ", "For completeness, ", "In short, ", "Also, ", "Again, ", "Here goes: ",
)  # fmt: skip

CHATTER = (
    "The note on <e> is <n> lines long by now.",
    "The parcel with number <v> went to the wrong floor.",
    "About <n> people signed the card.",
    "A copy of <e> went to locker <v>.",
    "The heating was on for <n> minutes too long.",
    "Form <v> may be thrown away.",
    "Questions about <e> are answered after lunch.",
    "The printer asked for <n> sheets and got them.",
    "Room <v> is free again.",
    "Nothing came of the idea to rename <e>.",
    "The meeting took <n> minutes and ended well.",
    "Leaflet <v> is out of print.",
    "A printout of <e> hangs in the corridor now.",
    "We heard the alarm for <n> seconds, a false one.",
)

PLAIN = (
    "<e> is down for <a> <v>.",
    "<e> got the <a> <v>.",
    "<e> was entered with <v> under <a>.",
    "<e> has been given the <a> <v>.",
    "<e> shows <v> in the line for <a>.",
    "<e> works with <v> as <a>.",
    "<e> came in with the <a> set to <v>.",
    "<e> relies on the <a> called <v>.",
    "<e> puts its <a> at <v>.",
    "<e> brings along <v> as <a>.",
)

CHANGE = (
    "<e> dropped <o> and took up <v> as its <a>.",
    "<e> went from <o> to <v> in its <a>.",
    "<e> had <o> before, its <a> is <v>.",
    "<e> should not keep <a> <o>, make it <v>.",
    "<e> replaced <a> <o> by <v>.",
    "<e> is off <o>: its <a> reads <v> today.",
    "<e> saw its <a> <o> corrected to <v>.",
    "<e> swapped <o> for <v>, the <a> that is.",
)

AMOUNT = (
    "<e> gained <v> <a>.",
    "<e> counted <v> <a> on top.",
    "<e> came out of it with <v> <a> more.",
    "<e> put down <v> <a>.",
    "<e> turned in <v> <a> today.",
    "<e> noted <v> extra <a>.",
    "<e> must be charged with <v> <a>.",
    "<e> had to record <v> <a>.",
)
