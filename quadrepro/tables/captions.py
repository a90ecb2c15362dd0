"""Captions of figures: what is shown, as the kind says it, and how it was computed."""

from __future__ import annotations

from collections.abc import Sequence

from quadrepro.base.text import markdown
from quadrepro.config.algorithms import voters_label
from quadrepro.config.config import Config
from quadrepro.core.protocol import Protocol, SplitRule

ENDING = ".caption.md"
"""Ending of the file with a figure's caption."""


def caption_text(config: Config, shown: str) -> str:
    """Return a whole caption."""
    return markdown(f"{shown}\n\n{' '.join(_how(config))}\n")


def listed(words: Sequence[str]) -> str:
    """Return words in a list, such as "a, b and c"; with semicolons if they have commas."""
    if any("," in word for word in words):
        return "; ".join(words)
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _how(config: Config) -> list[str]:
    """Return the sentences on how the cells were computed."""
    protocol = config.protocol
    votes = any(algorithm.make().gives_votes for algorithm in config.algorithms)
    found = [_splits(protocol, config.repeats), *_preparation(protocol, votes), _choice(config)]
    if config.sweeps:
        one = " one at a time" if len(config.sweeps) > 1 else ""
        found.append(f"The {listed([sweep.word for sweep in config.sweeps])} are varied{one}.")
    if config.readings:
        found.append("A row named after a reading changes what its name says.")
    if own := [entry.title for entry in config.datasets if entry.protocol or entry.grid]:
        found.append(f"The config changes some of this for {listed(own)}.")
    return [*found, f"Seed {config.seed}."]


def splits_word(protocol: Protocol) -> str:
    """Return what texts call the splits of a protocol."""
    rule = protocol.split
    return "random splits" if rule.draws_share and not rule.time else "splits"


def own_rows_note(config: Config) -> str:
    """Return what is said where tests over data sets leave out rows; empty if they do not."""
    n_own, n_rows = len(config.own_rows), len(config.rows)
    if n_own == n_rows:
        return ""
    if not n_own:
        swept = listed([sweep.word for sweep in config.sweeps])
        return f"No row has the config's own {swept}, so nothing is tested over data sets."
    which = "under the config's own reading"
    if config.sweeps:
        own = [row for row in config.rows if row.entry.title in config.own_rows]
        which = f"with {listed([*dict.fromkeys(f'{row.sweep} {row.value}' for row in own)])}"
    return f"Each data set counts once: {n_own} of {n_rows} rows, {which}."


def _splits(protocol: Protocol, repeats: int) -> str:
    over = f"each of {repeats} random splits" if repeats > 1 else "one random split"
    if protocol.sample is not None:
        names = ("training", "validation", "test")
        sizes = zip(names, protocol.sample.sizes, strict=True)
        parts = listed([f"{n} {name}" for name, n in sizes if n])
        over = f"each of {repeats} repeats" if repeats > 1 else "the only repeat"
        return f"For {over}, a fresh sample of {parts} examples is drawn."
    split: SplitRule = protocol.split
    if split.time or not split.draws_share:
        return _other_splits(protocol, repeats)
    if split.train == "all":
        return "All examples are both training and test examples."
    if split.train == "bootstrap":
        return (
            f"In {over}, as many examples as there are are drawn with replacement for training; "
            "those never drawn are test examples."
        )
    share = "half" if split.train == "half" else f"a share of {split.train:g}"
    if isinstance(split.train, int):
        share = str(split.train)

    most = f", at most {split.most}," if split.most else ""
    rest = "the others are test examples"
    if split.test is not None:
        rest = f"{split.test} of the others are test examples"
    if protocol.holdout is not None:
        rest = "the others are divided into validation and test examples"
    if split.bernoulli:
        return f"In {over}, each example is trained on with a probability of {split.train}; {rest}."
    what = f"groups of {split.groups}" if split.groups else "examples"
    found = f"In {over}, {share} of the {what}{most} are training examples; {rest}."
    if split.groups:
        most = f", at most {split.most} of them" if split.most else ""
        found = f"In {over}, the examples of {share} of the {what} are for training{most}; {rest}."
    return found + _kept_together(split)


def _kept_together(split: SplitRule) -> str:
    by_class = " Folds have the same shares of the classes." if split.stratify else ""
    whole = split.groups or split.leave_out or split.column or split.given
    if split.stratify and not whole:
        by_class = " All parts and folds have the same shares of the classes."
    together = f" No group of {split.groups} is in two parts or folds." if split.groups else ""
    return by_class + together


def _other_splits(protocol: Protocol, repeats: int) -> str:
    """Return how rows are divided in a way that draws no share of them."""
    split = protocol.split
    if split.time:
        most = f", at most the latest {split.most}" if split.most else ""
        rest = " The first half of each is for validation." if protocol.holdout is not None else ""
        parts = f"{repeats} test parts of equal size" if repeats > 1 else "one test part"
        return (
            f"Examples are sorted by {split.time}. The last of them are {parts}, after training on"
            f" those before it{most}.{rest}"
        )
    if split.outer:
        times, _, folds = split.outer.partition("x")
        again = f", {times} times" if times != "1" else ""
        found = f"The examples are divided at random into {folds} folds{again}. Each is tested once"
        found += ", after training on the others."
    elif split.leave_out:
        left = f"the examples of one group of {split.groups}" if split.groups else "one example"
        found = f"Each repeat tests {left}, after training on all others."
    else:
        found = f"The {split.giver} says which examples are tested."
    return found + _kept_together(split)


def _preparation(protocol: Protocol, votes: bool) -> list[str]:
    found = []
    how = {
        "tanh": "standardised and squashed by tanh",
        "standard": "standardised",
        "min-max": "scaled to the range from 0 to 1",
    }
    if protocol.normalise != "none":
        found.append(f"Attributes are {how[protocol.normalise]}.")
    noise, holdout = protocol.noise, protocol.holdout
    if noise is not None and noise.deviation:
        found.append(f"Normal noise of {noise.deviation:g} times its range is on each attribute.")
    if noise is not None and noise.labels:
        of = "examples" if noise.labels_of == "all" else "examples that are not tested"
        found.append(f"A share of {noise.labels:g} of the {of} have another label.")
    if not votes:
        return found
    if protocol.voter_set is not None:
        at_random = ", drawn at random" if protocol.voters else ""
        found.append(f"Votes are over {voters_label(protocol)}{at_random}.")
    elif holdout is None:
        n = protocol.stumps_per_attribute
        stumps = f"decision stumps, {n} per attribute"
        if protocol.voters:
            stumps = f"{protocol.voters} decision stumps, drawn at random from {n} per attribute"
        found.append(f"Votes are over {stumps}.")
    else:
        drawn = holdout.stumps
        when = "in each round" if drawn.redraw else "once"
        found.append(f"Votes are over random decision stumps, {drawn.per_round} drawn {when}.")
    return found


def _choice(config: Config) -> str:
    protocol = config.protocol
    if protocol.holdout is not None and protocol.holdout.by == "test":
        return "An oracle chooses hyper-parameters by the errors on the test examples themselves."
    if protocol.holdout is not None:
        return "Hyper-parameters and rounds are chosen by the errors on the validation examples."
    if protocol.folds:
        return (
            "Hyper-parameters are chosen by cross-validation on the training examples, with "
            f"{protocol.folds} folds."
        )
    if protocol.measures:
        return "Nothing is chosen: all candidates are measured."
    return "Nothing is chosen: hyper-parameters are set."
