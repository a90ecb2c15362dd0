"""What a config can say of the tables and figures that are written."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from quadrepro.documents.model import Model, fault


class Panel(Model):
    """One picture of a figure of curves.

    Attributes
    ----------
    title : str
        What stands above it.
    measures : tuple of str
        What is drawn, each in a line style of its own; names of the protocol's measures.
    algorithms : tuple of str
        Whose curves are drawn; by default those of all.
    scale : {"linear", "log", "-log"}
        Of the vertical axis; -log shows the negative logarithm of the measure.
    """

    title: str = ""
    measures: tuple[str, ...] = Field(min_length=1)
    algorithms: tuple[str, ...] = ()
    scale: Literal["linear", "log", "-log"] = "linear"


class Curves(Model):
    """A figure of measures along the candidates, one curve an algorithm and measure.

    Attributes
    ----------
    along : str
        Hyper-parameter of the horizontal axis.
    scale : {"linear", "log"}
        Of the horizontal axis.
    panels : tuple of Panel
        Side by side, one row of them a data set.
    """

    along: str = "n_rounds"
    scale: Literal["linear", "log"] = "linear"
    panels: tuple[Panel, ...] = Field(min_length=1)


class Tables(Model):
    """The paper's printed tables and claims to set ours beside, and figures; empty for none.

    Attributes
    ----------
    risks, comparisons : str
        Printed tables of test risks, and of tests between algorithms.
    percent : str
        A printed table of mean and deviation of the test risk in percent, or of the RMSE where
        numbers are predicted.
    noiseless : str
        A printed table of the same for targets without noise, where they are known.
    margins : str
        A printed table of mean and deviation of the training margins.
    margin_figure : tuple of str
        Rows whose margins are drawn.
    curves : Curves, optional
        A figure and a table of measures along the candidates.
    times : bool
        A figure and a table of running times against what the config sweeps over.
    differences : tuple of str
        Two algorithms, the risk of the second less that of the first in a matrix of data sets and
        values of the sweep, as a table and a figure.
    scatter : str
        An algorithm whose risks stand against those of each other one, a dot a split.
    claims : str
        A group of the paper's claims.
    """

    risks: str = ""
    comparisons: str = ""
    percent: str = ""
    noiseless: str = ""
    margins: str = ""
    margin_figure: tuple[str, ...] = ()
    curves: Curves | None = None
    times: bool = False
    differences: tuple[str, str] | None = None
    scatter: str = ""
    claims: str = ""

    @model_validator(mode="before")
    @classmethod
    def _fact_of_the_paper(cls, data: Any) -> Any:
        if isinstance(data, dict) and "printed_splits" in data:
            message = (
                "printed_splits is a fact of the printed table: say it in the paper's paper.yaml, "
                f"as printed: {{table1: {{splits: {data['printed_splits']}}}}}"
            )
            raise fault(message, "printed_splits")
        return data
