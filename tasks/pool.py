"""Words and sentences from which private wordings are drawn (`tasks.private`)."""

WORDS = (
    "north", "south", "east", "west", "inner", "outer", "upper", "lower", "first", "final", "early", "late", "plain", "mixed",
    "broad", "narrow", "round", "flat", "light", "heavy", "rapid", "slow", "dry", "wet", "warm", "cool", "raw", "fine",
    "coarse", "amber", "azure", "coral", "ivory", "olive", "ochre", "scarlet", "silver", "copper", "granite", "cedar",
    "willow", "maple", "harbor", "valley", "island", "meadow", "river", "summit", "lantern", "anchor", "comet", "ember",
    "quartz", "saffron", "velvet", "winter", "autumn", "noon", "dawn", "dusk",
)  # fmt: skip

OPENERS = (
    "To be clear, ", "As agreed last week, ", "According to the sheet, ", "In case it matters, ", "One more thing: ",
    "From what I gather, ", "As of this morning, ", "It was settled that ", "Please bear in mind that ", "Word has it that ",
    "On paper, ", "For completeness, ", "After some back and forth, ", "The notes have it that ", "Going by the minutes, ",
    "So that it is written down, ",
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
    "<e> is down for <v> where <a> is concerned.",
    "<e> got the <a> <v>.",
    "<e> was entered with <v> under <a>.",
    "<e> has been given the <a> <v>.",
    "<e> shows <v> in the line for <a>.",
    "<e> works with <v>, speaking of its <a>.",
    "<e> came in with the <a> set to <v>.",
    "<e> relies on the <a> called <v>.",
    "<e> puts its <a> at <v>.",
    "<e> brings along <v> as <a>.",
)

CHANGE = (
    "<e> dropped <o> and took up <v> as its <a>.",
    "<e> went from <o> to <v> in its <a>.",
    "<e> had <o> before; the <a> is <v> from here on.",
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
