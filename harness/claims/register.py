"""The register: one YAML file a claim in conf/claims, checked when it is read, and a digest over all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from omegaconf import OmegaConf

from harness.claims.metrics import METRICS

FOLDER = Path(__file__).resolve().parents[2] / "conf" / "claims"
Direction = Literal["greater", "less", "within"]
Reader = Literal["ideal", "realistic", "real"]
Shares = tuple[float, float | None]  # of the full history; None = without limit


class RegisterError(Exception):
    """A claim that cannot be registered; the message names its file, the field and the remedy."""


@dataclass(frozen=True, slots=True)
class Arm:
    """A strategy by its name in conf/strategy; params: settings that it must have, others are free."""

    strategy: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        settings = ", ".join(f"{key}={value}" for key, value in self.params.items())
        return f"{self.strategy} ({settings})" if settings else self.strategy


@dataclass(frozen=True, slots=True)
class Claim:
    """a - b of a metric, and on which side of zero it is claimed to lie.

    published: the figures of the source. suite: the version it was registered for. checkpoint: a step, None = over the
    whole episode. b: an arm, or a fixed value. families: empty = all. budget: tokens, or a range of shares of the full
    history; None = every budget at hand. beside: a second range; the claim is then about how much larger a - b is at
    `budget` than there. relative: differences are shares of b. margin: greater, less: the interval must lie beyond it;
    within: both bounds must lie inside. effect: the size that must be detectable before its absence is reported.
    fewest: pairs in each family. needs: what else must be given, in words.
    """

    id: str
    statement: str
    source: str
    published: str
    registered: str
    suite: str
    metric: str
    a: Arm
    b: Arm | float
    reader: Reader
    direction: Direction
    checkpoint: int | None = None
    families: tuple[str, ...] = ()
    budget: int | Shares | None = None
    beside: Shares | None = None
    relative: bool = False
    margin: float = 0.0
    effect: float | None = None
    fewest: int = 20
    needs: tuple[str, ...] = ()

    @property
    def arms(self) -> tuple[Arm, ...]:
        """a and b, or a alone where b is a fixed value."""
        return (self.a, self.b) if isinstance(self.b, Arm) else (self.a,)

    @property
    def measured(self) -> str:
        return self.metric + (f"@{self.checkpoint}" if self.checkpoint else "")


def load(folder: Path = FOLDER) -> list[Claim]:
    """In order of their ids, which are the file names. Raises RegisterError."""
    paths = _files(folder)
    if not paths:
        raise RegisterError(f"{folder} holds no claim: give a folder of YAML files, one a claim")
    return [_claim(path) for path in paths]


def digest(folder: Path = FOLDER) -> str:
    """SHA-256 over names and contents, as hexadecimal text: a frozen register keeps it."""
    total = hashlib.sha256()
    for path in _files(folder):
        total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.yaml"), key=lambda path: path.stem)


def _claim(path: Path) -> Claim:
    raw = OmegaConf.to_container(OmegaConf.load(path), resolve=True)
    if not isinstance(raw, dict):
        raise RegisterError(f"{path}: a claim is a mapping of its fields")
    given = {str(key): value for key, value in raw.items()}
    known = {f.name: f for f in fields(Claim) if f.name != "id"}
    if unknown := sorted(given.keys() - known.keys()):
        raise RegisterError(f"{path}: no field {unknown[0]!r}; there are {', '.join(known)}")
    asked = [n for n, f in known.items() if f.default is MISSING and f.default_factory is MISSING]
    if missing := [name for name in asked if name not in given]:
        raise RegisterError(f"{path}: {missing[0]} is missing")
    given |= {"a": _arm(path, given["a"]), "b": _arm(path, given["b"])}
    given["registered"] = str(given["registered"])
    given |= {name: tuple(given[name]) for name in ("families", "needs") if name in given}
    given |= {name: _range(given[name]) for name in ("budget", "beside") if name in given}
    claim = Claim(id=path.stem, **given)
    if problem := _problem(claim):
        raise RegisterError(f"{path}: {problem}")
    return claim


def _arm(path: Path, value: Any) -> Any:
    if isinstance(value, Mapping) and value.keys() <= {"strategy", "params"} and "strategy" in value:
        return Arm(str(value["strategy"]), dict(value.get("params") or {}))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise RegisterError(f"{path}: an arm is {{strategy: NAME, params: {{…}}}}, not {value!r}")


def _range(value: Any) -> Any:
    return tuple(value) if isinstance(value, Sequence) else value


def _problem(claim: Claim) -> str | None:
    if claim.metric not in METRICS:
        return f"metric {claim.metric!r} is not known; there are {', '.join(METRICS)}"
    if claim.direction not in get_args(Direction):
        return f"direction {claim.direction!r}: choose one of {', '.join(get_args(Direction))}"
    if claim.reader not in get_args(Reader):
        return f"reader {claim.reader!r}: choose one of {', '.join(get_args(Reader))}"
    if not isinstance(claim.a, Arm):
        return "a is a fixed value: only b can be one"
    if claim.direction == "within":
        return None if claim.margin > 0 else "direction within needs a margin above 0"
    if claim.effect is None or not 0 <= claim.margin <= claim.effect or claim.effect == 0:
        return f"effect {claim.effect} must be above 0 and at least the margin, {claim.margin}"
    if claim.beside is not None and not isinstance(claim.budget, tuple):
        return "beside compares two ranges of budgets: give budget as a range too"
    return None
