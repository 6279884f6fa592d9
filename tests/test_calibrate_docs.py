"""docs/readers.md says what the profiles hold."""

from pathlib import Path

from omegaconf import OmegaConf

from harness.calibrate.collect import MOST
from harness.calibrate.probes import LATEST, MARGIN, PROBES, REPORTS
from harness.models.dials import Dials

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "readers.md").read_text(encoding="utf-8")


def tables() -> list[dict[str, list[str]]]:
    """The tables whose rows begin with a dial, by dial."""
    found: list[dict[str, list[str]]] = []
    for line in PAGE.splitlines():
        if line.startswith("| dial |"):
            found.append({})
        elif line.startswith("| `"):
            dial, *cells = [cell.strip() for cell in line.strip("|").split("|")]
            found[-1][dial.strip("`")] = cells
    return found


def test_every_dial_stands_with_its_values_in_both_profiles() -> None:
    dials = tables()[0]
    assert set(dials) == set(Dials.__dataclass_fields__)
    for column, profile in ((2, "ideal"), (3, "realistic")):
        config = dict(OmegaConf.load(ROOT / "conf" / "reader" / f"{profile}.yaml"))
        assert {dial: float(cells[column]) for dial, cells in dials.items()} == {
            dial: float(config[dial]) for dial in dials
        }


def test_every_dial_is_measured_but_for_the_settings() -> None:
    measured = tables()[1]
    assert list(measured) == [dial for probe in PROBES for dial in probe.dials]
    assert set(tables()[0]) - set(measured) == {"tries", "miss_from"}


def test_the_numbers_of_the_page_are_those_of_the_code() -> None:
    assert (LATEST, REPORTS, MOST, MARGIN) == (6, 24, 4, 1.1)
    assert "up to 6 steps" in PAGE and "24 reports" in PAGE and "up to four times" in PAGE and "10 % longer" in PAGE
