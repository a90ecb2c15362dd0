"""What pages do in a browser; skipped where there is none."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("selenium")
pytest.importorskip("axe_core_python")

from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from quadrepro.results.page import write_all
from tests.results.pages.browser import Shown, headless
from tests.results.pages.made import cells, errors, make_folder

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def driver() -> Iterator[webdriver.Chrome]:
    with headless() as started:
        yield started


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two results folders, their pages and the index."""
    out = tmp_path_factory.mktemp("out")
    make_folder(out / "small")
    rows = {
        (f"row {i}", f"column {j}"): ((7 * i + 3 * j) % 11, 9) for i in range(5) for j in range(6)
    }
    files = {"cells__csv": cells(rows), "errors__csv": errors(rows)}
    make_folder(out / "large", **files, **dict.fromkeys(("verdicts__csv", "score__csv")))
    write_all(out)
    return out


PAGES = ("small/report.html", "large/report.html", "index.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_is_accessible(driver: webdriver.Chrome, out: Path, scheme: str) -> None:
    shown = Shown(driver, out / PAGES[0])
    shown.prefer(scheme)
    shown.do("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    assert shown.faults() == []


@pytest.mark.parametrize("page", PAGES)
def test_the_console_is_silent(driver: webdriver.Chrome, out: Path, page: str) -> None:
    assert Shown(driver, out / page).errors == []


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_wider_than_a_phone(driver: webdriver.Chrome, out: Path, page: str) -> None:
    shown = Shown(driver, out / page, width=360)
    shown.do("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    assert shown.overflow == 0
    if page != "index.html":
        shown.click("#heat td button")
        assert shown.overflow == 0
        assert shown.do("return document.getElementById('entry').scrollWidth") <= 360


def test_a_column_sorts_up_down_and_back(driver: webdriver.Chrome, out: Path) -> None:
    shown = Shown(driver, out / "large" / "report.html")
    head, rows = "#heat thead th:nth-child(7)", "#heat tbody th"
    values = "#heat tbody td:nth-child(7) span"
    before = shown.texts(rows)
    orders = []
    for aria in ("ascending", "descending", None):
        shown.click(f"{head} button")
        assert shown.do(f"return document.querySelector('{head}').ariaSort") == aria
        orders.append([float(text) for text in shown.texts(values)])
    assert orders[0] == sorted(orders[0])
    assert orders[1] == sorted(orders[1], reverse=True)
    assert shown.texts(rows) == before
    shown.click("#heat thead th:first-child button")
    shown.click("#heat thead th:first-child button")
    assert shown.texts(rows) == sorted(before, reverse=True)
    assert "descending" in shown.text("#said")


def test_what_is_missing_sorts_last_either_way(driver: webdriver.Chrome, out: Path) -> None:
    shown = Shown(driver, out / "index.html")
    table = "section:first-of-type table"
    inside = f"{table} tbody td:nth-child(4)"
    for _ in range(2):
        shown.click(f"{table} th:nth-child(4) button")
        assert shown.texts(inside) == ["1", "–"]


def test_an_entry_opens_by_keyboard_with_its_splits(driver: webdriver.Chrome, out: Path) -> None:
    shown = Shown(driver, out / "small" / "report.html")
    shown.do("document.querySelectorAll('#heat td button')[1].focus()")
    shown.press(Keys.ENTER)
    shown.until("document.getElementById('entry').open")
    assert shown.text("#entry-title") == "monks, AdaBoost"
    facts = dict(zip(shown.texts("#entry dt"), shown.texts("#entry dd"), strict=True))
    assert facts["Ours"] == "0.320 ± 0.035, risk over 3 splits"
    assert facts["Printed"] == "0.52: outside, above our interval"
    assert facts["Interval"].startswith("0.24 to 0.4, where the printed number lies")
    assert facts["Interval"].endswith("; p = 0.001")
    assert facts["Data"] == "sha256:aa"
    assert len(shown.texts("#entry svg circle")) == 3
    assert len(shown.texts("#entry svg path.printed")) == len(shown.texts("#entry svg rect")) == 1
    assert shown.texts("#entry tbody td:nth-child(3)") == ["30 of 100", "30 of 100", "36 of 100"]
    assert shown.texts("#entry tbody td:nth-child(4)") == ["n_rounds 5", "n_rounds 6", "n_rounds 5"]
    assert "quadrepro explain small.yaml monks adaboost --recompute" in shown.text("#entry")
    shown.press(Keys.ESCAPE)
    shown.until("!document.getElementById('entry').open")
    shown.until("document.activeElement.closest('td')?.dataset.entry === '1'")
    assert shown.errors == []


def test_a_link_to_an_entry_opens_it_and_an_open_entry_has_a_link(
    driver: webdriver.Chrome, out: Path
) -> None:
    page = out / "small" / "report.html"
    shown = Shown(driver, page)
    shown.click("#heat td[data-entry='1'] button")
    link = shown.do("return location.hash")
    assert link == "#monks/adaboost"
    shown.click("#entry form button")
    shown.until("location.hash === ''")
    driver.get("about:blank")
    driver.get(page.as_uri() + link)
    shown.until("document.getElementById('entry').open")
    assert shown.text("#entry-title") == "monks, AdaBoost"
    assert shown.errors == []


def test_filters_leave_rows_and_columns_that_have_the_words(
    driver: webdriver.Chrome, out: Path
) -> None:
    shown = Shown(driver, out / "small" / "report.html")
    driver.find_element("css selector", "[data-filter=rows]").send_keys("WI")
    driver.find_element("css selector", "[data-filter=columns]").send_keys("ada")
    assert shown.texts("#heat tbody tr:not([hidden]) th") == ["wine"]
    assert shown.texts("#heat thead th:not([hidden]) button")[1:] == ["AdaBoost"]
    assert len(shown.texts("#heat tbody tr:not([hidden]) td:not([hidden])")) == 1
    assert shown.text("#said") == "shown rows: 1"


def test_the_index_is_searched_by_what_it_says_of_experiments(
    driver: webdriver.Chrome, out: Path
) -> None:
    shown = Shown(driver, out / "index.html")
    field = driver.find_element("css selector", "[data-filter=all]")
    field.send_keys("small quadboost printed outside")
    rows = ".card:not([hidden]) tbody tr:not([hidden]) th a"
    assert shown.texts(rows) == ["Small"]
    field.send_keys(" nowhere")
    assert shown.texts(rows) == []
    assert shown.do("return getComputedStyle(document.querySelector('.card')).display") == "none"


def test_sections_stay_at_hand_and_the_window_is_used(driver: webdriver.Chrome, out: Path) -> None:
    shown = Shown(driver, out / "large" / "report.html", width=1400)
    box = "return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()"
    assert shown.do(box, "#results .scroll")["width"] > 1300
    shown.do("window.scrollTo(0, document.body.scrollHeight)")
    assert shown.do(box, "nav")["top"] == 0
    shown.click("nav a[href='#tables']")
    shown.until("location.hash === '#tables'")
    assert shown.do(box, "#tables-title")["top"] >= shown.do(box, "nav")["bottom"]


def test_figures_follow_the_theme(driver: webdriver.Chrome, out: Path) -> None:
    shown = Shown(driver, out / "small" / "report.html")
    look = "return getComputedStyle(document.querySelector('figure img')).filter"
    paper = "return getComputedStyle(document.querySelector('figure .sheet')).backgroundColor"
    assert shown.do(look) == "none"
    shown.prefer("dark")
    assert shown.do(look).startswith("invert(1)")
    assert shown.do(paper) != "rgb(255, 255, 255)"


def test_the_theme_is_chosen_and_kept(driver: webdriver.Chrome, out: Path) -> None:
    page = out / "small" / "report.html"
    shown = Shown(driver, page)
    colour = "return getComputedStyle(document.body).backgroundColor"
    light = shown.do(colour)
    shown.prefer("dark")
    dark = shown.do(colour)
    assert light != dark
    shown.until("document.getElementById('theme').textContent === 'Light theme'")
    shown.click("#theme")
    assert shown.do(colour) == light
    assert shown.text("#theme") == "Dark theme"
    time.sleep(0.5)  # until Chrome has stored what a page keeps
    again = Shown(driver, page)
    again.prefer("dark")
    assert again.do(colour) == light
    again.click("#theme")
    again.do("localStorage.clear()")
    assert again.do(colour) == dark


def test_the_first_tab_leads_past_the_header(driver: webdriver.Chrome, out: Path) -> None:
    shown = Shown(driver, out / "small" / "report.html")
    shown.press(Keys.TAB)
    shown.until("document.activeElement.className === 'skip'")
    shown.press(Keys.ENTER)
    shown.until("document.activeElement.id === 'main'")
