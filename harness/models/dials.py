"""How good a reader is: one number a habit."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Dials:
    """The habits of a scripted reader. The defaults are the ideal reader, which no luck touches.

    All are probabilities (0 to 1), the whole numbers `border`, `miss_from` and `tries` apart.

    retrieve: a missing fact is looked for with a retrieve tool. reread: its named source is read again.
    pick: the handle that fits best is taken (a tool of free queries: the whole key is asked for).
    tries: most retrieve calls for a question, per key that it depends on.
    open, close: a focus is opened where a subtask begins, closed once it is over.
    border: it is noticed up to so many steps late, each delay as likely.
    carry: a fact of a closed focus is written into its notes. note: a fact is restated in the reader's own text.
    miss: a statement in the middle of a view is overlooked; for views of more than `miss_from` tokens (estimate).
    bluff: what is missing is invented from a look-alike, not reported as unknown.
    poisoning: a failed call is made again; for n failures in view, with probability 1 - (1 - poisoning)^n.
    """

    retrieve: float = 1.0
    pick: float = 1.0
    reread: float = 1.0
    tries: int = 2
    open: float = 1.0
    close: float = 1.0
    border: int = 0
    carry: float = 1.0
    note: float = 0.0
    miss: float = 0.0
    miss_from: int = 30_000
    bluff: float = 0.0
    poisoning: float = 0.0

    def check(self) -> None:
        """Raise ValueError for a dial outside its range."""
        for dial in fields(self):
            value, whole = getattr(self, dial.name), dial.name in ("tries", "border", "miss_from")
            if whole and (not isinstance(value, int) or value < 0):
                raise ValueError(f"reader.{dial.name} is {value!r}; give a whole number from 0 up")
            if not whole and not 0 <= value <= 1:
                raise ValueError(f"reader.{dial.name} is {value!r}; it is a probability, give 0 to 1")
