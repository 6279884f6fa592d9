"""The price of one call."""

from __future__ import annotations

from harness.cost.prices import MILLION, Prices


def dollars(prices: Prices, input: float, read: float, output: float) -> float:
    """US dollars of a call with `input` tokens, `read` of them from the cache.

    Where writing has its own price, the whole blocks that were not read are written, from the minimum on; the rest is
    plain input.
    """
    written = 0.0
    if prices.cache_write is not None and input >= prices.cache.minimum:
        written = max(0.0, input // prices.cache.block * prices.cache.block - read)
    return reported(prices, input, read, written, output)


def reported(prices: Prices, input: float, read: float, written: float, output: float) -> float:
    """US dollars of counted tokens. input: all of it, what was read and written included."""
    write = prices.input if prices.cache_write is None else prices.cache_write
    plain = input - read - written
    return (plain * prices.input + read * prices.cache_read + written * write + output * prices.output) / MILLION
