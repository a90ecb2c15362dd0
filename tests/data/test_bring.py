from __future__ import annotations

import pytest

from quadrepro.data.card import Card, load_card
from quadrepro.data.fetch import bring, missing_cards
from quadrepro.errors import DataError, NoConnectionError

NAMES = ("pima", "heart", "bupa")


class Log:
    """Keeps what a listener is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, ...]] = []

    def begin(self, card: Card) -> None:
        self.told.append((card.name,))

    def end(self, card: Card, origin: str) -> None:
        self.told.append((card.name, origin))


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> dict[str, Exception]:
    """Let every data set arrive unless an exception is set for its name."""
    failures: dict[str, Exception] = {}

    def fetch(card: Card, progress: None) -> str:
        if card.name in failures:
            raise failures[card.name]
        return f"there, {card.name}"

    monkeypatch.setattr("quadrepro.data.fetch.fetch", fetch)
    return failures


def test_only_what_is_not_available_is_missing() -> None:
    assert [card.name for card in missing_cards(["monks", "pima", "wine"], None)] == ["pima"]


def test_the_listener_is_told_of_every_beginning_and_end(fetched: dict[str, Exception]) -> None:
    log = Log()
    bring([load_card("pima"), load_card("heart")], None, offline=False, listener=log)
    assert log.told == [("pima",), ("pima", "there, pima"), ("heart",), ("heart", "there, heart")]


def test_a_data_set_that_fails_is_named_after_the_others_were_fetched(
    fetched: dict[str, Exception],
) -> None:
    fetched["pima"] = DataError("pima is something else")
    log = Log()
    with pytest.raises(DataError, match=r"^pima is something else$"):
        bring([load_card(name) for name in NAMES], None, offline=False, listener=log)
    assert log.told[-1] == ("bupa", "there, bupa")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pima", "no network; 2 more data sets were not tried"),
        ("heart", "no network; 1 more data set was not tried"),
        ("bupa", "no network"),
    ],
)
def test_without_a_connection_the_others_are_not_tried(
    fetched: dict[str, Exception], name: str, message: str
) -> None:
    fetched[name] = NoConnectionError("no network")
    log = Log()
    with pytest.raises(DataError) as caught:
        bring([load_card(n) for n in NAMES], None, offline=False, listener=log)
    assert str(caught.value) == message
    assert log.told[-1] == (name,)


def test_if_nothing_is_missing_nothing_happens_even_offline() -> None:
    bring([], None, offline=True)
