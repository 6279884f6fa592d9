"""docs/claims.md, from the register."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.claims.matching import written
from harness.claims.metrics import difference
from harness.claims.register import Claim
from harness.claims.show import expected

HEAD = """# Claims register

What papers and reports say about managing an agent's context, written down before the arms were compared: the measure,
the pair of arms, the direction, and what would count. `python -m harness.claims results/NAME …` answers for each claim.

| answer | when |
|---|---|
| reproduced | the 95 % interval of the paired difference lies on the claimed side, beyond the margin where there is one; for *equals*, both bounds lie inside the margin |
| not reproduced | the interval lies on the other side (*opposite*), or short of the margin, or it holds zero although the smallest worthwhile effect would have been found and lies outside the interval (*no difference found*, with the detectable difference) |
| not testable here | an arm, family, budget, reader or measure is missing, there are too few pairs, or the design is too weak to tell: the reason is printed |

- **Pairs** are the same instances under the same conditions: task settings, model, reader, budget, limits. Arms are matched by the name and the
  settings given here. Where several fit, the answer is *not testable*: nothing is picked.
- **Smallest worthwhile effect:** half of the published difference, unless a comment in the file says otherwise.
- **All differences equal** (say, no violation in either arm) have no spread to make an interval of. For shares the exact bound is taken:
  with n pairs and none that differs, at most 1 − 0.05^(1/n) of all instances differ, by 1 at most. Twenty pairs can show equality within .14.
- **Readers:** `ideal` and `realistic` are scripted, and answers under them are simulated. Claims about text that a model writes ask for a real model.
- **Several families** count the same each; the interval then speaks of these families unless there are eight or more.
- **p-values are not corrected** for the number of claims. Each claim was fixed beforehand; the register as a whole is exploratory.
- **The register is frozen** with the suite: its digest stands in every output. A new claim, or a changed one, is a new file with its own date.
- **Versions** of the suite never mix, and a claim is tested only on the version that it was registered for.

The rest of this page is written by `python -m harness.claims --markdown`.
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
