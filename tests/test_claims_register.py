"""The register itself: its files, its digest, and the page that lists it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from harness.claims import markdown, register
from harness.claims.register import Arm, RegisterError
from tests.claim_sweeps import register as write

ROOT = Path(__file__).parents[1]
CLAIMS = register.load()


def test_docs_list_the_register_as_it_is() -> None:
    page = (ROOT / "docs" / "claims.md").read_text()
    assert page == markdown.page(CLAIMS, register.digest()), "run: python -m harness.claims --markdown > docs/claims.md"


# What the literature says of each of these must be in the register, and be told by these arms.
LINES = {
    "constraints lost after compaction": ("constraints-lost-by-eviction", "constraints-lost-by-summary"),
    "none broken when pinned": ("constraints-kept-when-pinned", "constraints-saved-by-pinning"),
    "drift from step 35": ("drift-without-injection", "no-drift-before-step-20"),
    "evicted plans": ("evicted-plans-cost-success",),
    "masking as good as summary": ("masking-equals-summary", "summaries-lengthen-runs"),
    "at half of raw's cost": ("masking-halves-tokens", "masking-halves-money"),
    "recovery rarely used, of little gain": ("recovery-rarely-used", "recovery-gains-little"),
    "mostly near overflow": ("management-matters-near-overflow",),
    "focus saves on exploring": ("focus-saves-on-exploring", "focus-keeps-success"),
    "focus costs on refining": ("focus-costs-on-refining",),
    "superseded values": ("oldest-text-keeps-superseded-values", "superseded-values-used-in-full-view"),
    "50:1 against 20:1": ("compression-50-loses-facts", "compression-50-fetches-more", "compression-20-keeps-facts"),
    "a little each turn": ("stepwise-eviction-breaks-the-cache", "stepwise-eviction-costs-more"),
}


def test_every_line_of_the_literature_is_registered() -> None:
    assert {name for names in LINES.values() for name in names} <= {claim.id for claim in CLAIMS}


def test_arms_that_exist_have_the_settings_that_claims_name() -> None:
    checked = 0
    for claim in CLAIMS:
        for arm in claim.arms:
            path = ROOT / "conf" / "strategy" / f"{arm.strategy}.yaml"
            if path.is_file():
                known = set(re.findall(r"^(\w+):", path.read_text(), re.MULTILINE))
                assert arm.params.keys() <= known, f"{claim.id}: {arm.strategy} has no {arm.params.keys() - known}"
                checked += 1
    assert checked >= 10


def test_claims_ask_for_what_the_rules_ask_for() -> None:
    for claim in CLAIMS:
        assert claim.fewest >= 20
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", claim.registered)
        assert claim.suite == "v1"
        if any(arm.strategy == "summary" for arm in claim.arms):
            assert claim.reader == "real", f"{claim.id}: text that a model writes counts with real readers alone"


def test_the_digest_covers_names_and_contents(tmp_path: Path) -> None:
    folder = write(tmp_path / "claims", one={}, two={})
    digests = {register.digest(folder)}
    (folder / "two.yaml").rename(folder / "three.yaml")
    digests.add(register.digest(folder))
    (folder / "one.yaml").write_text((folder / "one.yaml").read_text() + "\n")
    digests.add(register.digest(folder))
    assert len(digests) == 3


def test_a_claim_is_read_as_it_is_written(tmp_path: Path) -> None:
    [claim] = register.load(write(tmp_path / "claims", one={"b": 0.9, "families": ["team"], "budget": [0.25, None]}))
    assert (claim.id, claim.a, claim.b) == ("one", Arm("one"), 0.9)
    assert (claim.families, claim.budget, claim.measured) == (("team",), (0.25, None), "success@80")


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "field": ({"colour": "red"}, "no field 'colour'"),
    "metric": ({"metric": "joy"}, "metric 'joy' is not known"),
    "direction": ({"direction": "up"}, "direction 'up': choose one of greater, less, within"),
    "reader": ({"reader": "me"}, "reader 'me'"),
    "arm": ({"a": "one"}, "an arm is"),
    "value": ({"a": 0.5}, "only b can be one"),
    "margin": ({"direction": "within"}, "needs a margin above 0"),
    "effect": ({"effect": None}, "effect None must be above 0"),
    "small": ({"margin": 0.2}, "effect 0.1 must be above 0 and at least the margin, 0.2"),
    "ranges": ({"beside": [1.0, None], "budget": 6000}, "give budget as a range too"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_claim_is_refused_with_its_file(tmp_path: Path, name: str) -> None:
    given, message = WRONG[name]
    folder = write(tmp_path / "claims", one=given)
    with pytest.raises(RegisterError, match=re.escape(message)) as raised:
        register.load(folder)
    assert str(folder / "one.yaml") in str(raised.value)


def test_a_missing_field_and_an_empty_folder_are_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "claims")
    with pytest.raises(RegisterError, match="holds no claim"):
        register.load(folder)
    (folder / "one.yaml").write_text("statement: no more than this\n")
    with pytest.raises(RegisterError, match="source is missing"):
        register.load(folder)
