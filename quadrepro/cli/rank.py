"""``quadrepro rank``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import format_option
from quadrepro.cli.showing import echo


@click.command("rank")
@click.argument("scores", type=click.Path(path_type=Path))
@click.option("--higher-is-better", is_flag=True, help="Scores are accuracies or the like.")
@click.option(
    "--rope",
    type=float,
    default=0.0,
    show_default=True,
    help="Scores that differ by no more than this are the same for all practical purposes.",
)
@click.option(
    "--test-share",
    type=float,
    help="Rows are resamples of one data set, which test this share of its examples.",
)
@click.option("--drop-missing", is_flag=True, help="Leave out rows with a missing score.")
@format_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder for ranking.md, .csv and .tex, and the diagram as .svg and .png.",
)
def command(
    scores: Path,
    higher_is_better: bool,
    rope: float,
    test_share: float | None,
    drop_missing: bool,
    form: str,
    out: Path | None,
) -> None:
    """Rank methods by a CSV file of scores, and compare every pair.

    The columns of SCORES are methods and its rows data sets, or resamples of one; a first column
    that is not of numbers names the rows. Prints mean ranks, Friedman's test, and of each pair
    Nemenyi's and Wilcoxon's tests, the shift and the Bayesian signed-rank test.
    """
    from quadrepro.api import rank
    from quadrepro.cli.showing import print_table

    found = rank(
        scores,
        higher_is_better=higher_is_better,
        rope=rope,
        test_share=test_share,
        drop_missing=drop_missing,
    )
    print_table(found.table, form)
    if out is not None:
        found.write(out)
        echo(f"Table and diagram written to {out}")
