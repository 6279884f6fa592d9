"""Checks of a strategy's settings, made when an episode begins (constructors only store)."""

from __future__ import annotations

from collections.abc import Collection

from strategies.overflow import CHOICES


def share(name: str, value: float) -> None:
    """Raises ValueError unless 0 < value <= 1."""
    if not 0 < value <= 1:
        raise ValueError(f"{name}={value!r}: give a share of the budget above 0, at most 1")


def at_least(name: str, value: int, least: int) -> None:
    """Raises ValueError unless value is a whole number >= least."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name}={value!r}: give a whole number of at least {least}")


def one_of(name: str, value: str, choices: Collection[str]) -> None:
    """Raises ValueError unless value is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name}={value!r}: choose one of {', '.join(choices)}")


def eviction(low_water: float, overflow: str) -> None:
    """The two settings that every evicting strategy has."""
    share("low_water", low_water)
    one_of("overflow", overflow, CHOICES)
