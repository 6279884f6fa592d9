"""One self-contained HTML file a sweep: `python -m harness.report.page results/NAME`."""
