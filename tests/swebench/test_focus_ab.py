"""The A/B of Focus is printed beside the published one."""

from __future__ import annotations

from harness.focus_ab import PUBLISHED, Side, table


def test_a_table_beside_the_published_one() -> None:
    names = list(PUBLISHED)
    without = {name: Side(1000, float(n < 3), "resolved", 0, 0) for n, name in enumerate(names)}
    focus = {name: Side(500 if n else None, float(n < 1), "unresolved", 4, 20 * n) for n, name in enumerate(names)}
    lines = table(without, focus).lines
    seaborn = next(line for line in lines if "seaborn" in line).split()
    assert seaborn[1:6] == ["1,000", "500", "-50.0", "%", "-52"]
    matplotlib = next(line for line in lines if "matplotlib" in line).split()
    assert matplotlib[1:4] == ["1,000", "–", "–"]
    total = next(line for line in lines if line.startswith("all, 4 pairs")).split()
    assert total[3:5] == ["4,000", "2,000"]
    assert total[-4:] == ["3/5", "1/5", "4.0", "40.0"]
    published = next(line for line in lines if line.startswith("published"))
    assert "14,920,555" in published and "-22.7 %" in published
    assert published.split()[-4:] == ["3/5", "3/5", "6.0", "70.2"]
    notes = "\n".join(table(without, focus).notes)
    assert "3 of 5 resolved, exact 95 % interval 15–95 %" in notes
    assert "cannot show that success is the same" in notes
