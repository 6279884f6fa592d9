"""docs/claims.md, from the register."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.claims.metrics import difference
from harness.claims.pairing import written
from harness.claims.register import Claim
from harness.claims.show import expected

HEAD = """# Claims register

What papers and reports say about managing an agent's context, written down before the arms were compared: the measure,
the pair of arms, the direction, and what would count. `python -m harness.claims results/NAME …` answers for each claim.
Several sweeps are read together, so an arm may come from one and its partner from another.

**reproduced**: the 95 % interval of the paired difference lies on the claimed side, beyond the margin where there is
one. For *equals*, both bounds lie inside the margin. A difference surely below the worthwhile effect is said to be so.

**not reproduced**: the interval lies on the other side (*opposite*), or short of the margin (*smaller*), or it holds
zero although the worthwhile effect would have been found and lies outside of it (*no difference found*, with the
detectable difference).

**not testable here**: an arm, family, budget, reader or measure is missing, there are too few pairs, or the design is
too weak to tell. The reason is printed, and never counted as an answer.

- **Pairs** are the same instances under the same conditions: task settings, model, reader, budget, limits. Arms are
  matched by the name and the settings given here; two settings of one strategy class may differ in nothing else. Where
  several pairs fit, the claim is not testable: nothing is picked.
- **Worthwhile effect:** half of the published difference, unless a comment in the file says otherwise.
- **All differences equal** (no violation in either arm) leave no spread to make an interval of. For shares the exact
  bound is taken: where none of n pairs differs, at most 1 − 0.05^(1/n) of all instances do, by 1 at most. So twenty
  pairs can show equality within .14, and 59 within .05.
- **Readers:** `ideal` and `realistic` are scripted, and answers under them are simulated. Claims about text that a
  model writes ask for a real model.
- **Several families** count the same each; the interval speaks of these families unless there are eight or more.
- **p-values are not corrected** for the number of claims: each claim is one test fixed beforehand, the register as a
  whole is exploratory.
- **Frozen:** the digest of the register stands in every output. A changed claim is a new file with its own date.
- **Versions** of the suite never mix, and a claim is tested on the version that it was registered for alone.

What can be tested without a model comes out of these sweeps (the last ones: a history that does not fit, and one that
does):

```
python -m harness -m experiment=bench
python -m harness -m name=pins task=constraints strategy=window strategy.pin_user=true,false
python -m harness -m name=whole task=constraints strategy=full
python -m harness -m name=room strategy=none,trim,full budget=8000,40000
python -m harness.claims results/bench results/pins results/whole results/room
```

A claim is one file in `conf/claims`; its fields are described in `harness/claims/register.py`. This page is written by
`python -m harness.claims --markdown`.
"""


def page(claims: Sequence[Claim], digest: str) -> str:
    body = "\n".join(line for claim in claims for line in _claim(claim))
    return f"{HEAD}\n{len(claims)} claims, digest `{digest[:12]}`\n\n{table(claims)}\n\n{body}"


def table(claims: Sequence[Claim]) -> str:
    rows = [f"| [{c.id}](#{c.id}) | {expected(c)} | {', '.join(c.families) or 'all'} | {c.reader} |" for c in claims]
    return "\n".join(["| claim | measure and pair | families | reader |", "|---|---|---|---|", *rows])


def _claim(claim: Claim) -> Iterator[str]:
    budgets = written(claim.budget) + (f" against {written(claim.beside)}" if claim.beside else "")
    counts = [f"n ≥ {claim.fewest} a family"]
    if claim.effect is not None:
        counts.append(f"smallest worthwhile effect {difference(claim.metric, claim.effect, claim.relative)[1:]}")
    yield f"## {claim.id}\n\n{claim.statement}\n"
    yield f"- source: {claim.source}"
    yield f"- published: {claim.published}"
    yield f"- registered: {claim.registered}, for suite {claim.suite}"
    yield f"- test: {expected(claim)}; {', '.join(counts)}"
    yield f"- where: families {', '.join(claim.families) or 'all'}; reader {claim.reader}; budget {budgets}"
    if claim.needs:
        yield f"- needs: {'; '.join(claim.needs)}"
    yield ""
