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
from tests.results.pages.made import cells, errors, make_folder, run

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
    make_folder(
        out / "large",
        run__json=run(title="Large"),
        **files,
        **dict.fromkeys(("verdicts__csv", "score__csv")),
    )
    write_all(out)
    return out


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", ["small/report.html", "large/report.html", "index.html"])
def test_a_page_is_accessible_silent_and_fits_a_phone(
    driver: webdriver.Chrome, out: Path, page: str, scheme: str
) -> None:
    shown = Shown(driver, out / page, width=360)
    shown.prefer(scheme)
    shown.do("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    assert shown.overflow == 0
    assert shown.faults() == []
    if page != "index.html":
        shown.click("#heat td button")
        assert shown.overflow == 0
        assert shown.do("return document.getElementById('entry').scrollWidth") <= 360
        assert shown.faults() == []
    assert shown.errors == []


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


def test_an_entry_opens_by_keyboard_with_its_splits_and_has_a_link(
    driver: webdriver.Chrome, out: Path
) -> None:
    page = out / "small" / "report.html"
    shown = Shown(driver, page)
    shown.do("document.querySelectorAll('#heat td button')[1].focus()")
    shown.press(Keys.ENTER)
    shown.until("document.getElementById('entry').open")
    link = shown.do("return location.hash")
    assert link == "#monks/adaboost"
    assert shown.text("#entry h2") == "monks, AdaBoost"
    assert len(shown.texts("#entry svg circle")) == 3
    assert len(shown.texts("#entry svg path.printed")) == len(shown.texts("#entry svg rect")) == 1
    assert shown.texts("#entry tbody td:nth-child(3)") == ["30 of 100", "30 of 100", "36 of 100"]
    shown.press(Keys.ESCAPE)
    shown.until("!document.getElementById('entry').open")
    shown.until("document.activeElement.closest('td')?.dataset.entry === 'monks/adaboost'")
    shown.until("location.hash === ''")
    driver.get("about:blank")
    driver.get(page.as_uri() + link)
    shown.until("document.getElementById('entry').open")
    assert shown.errors == []


def test_filters_leave_rows_and_columns_that_have_the_words(
    driver: webdriver.Chrome, out: Path
) -> None:
    shown = Shown(driver, out / "large" / "report.html")
    driver.find_element("css selector", "[data-filter=rows]").send_keys("ROW 3")
    driver.find_element("css selector", "[data-filter=columns]").send_keys("mn 2")
    assert shown.texts("#heat tbody tr:not([hidden]) th") == ["row 3"]
    assert len(shown.texts("#heat thead th:not([hidden])")) == 2
    assert len(shown.texts("#heat tbody tr:not([hidden]) td:not([hidden])")) == 1
    assert shown.text("#said") == "shown rows: 1"


def test_the_index_is_sorted_with_what_is_missing_last_and_searched(
    driver: webdriver.Chrome, out: Path
) -> None:
    shown = Shown(driver, out / "index.html")
    for _ in range(2):
        shown.click("table th:nth-child(4) button")
        assert shown.texts("table tbody td:nth-child(4)") == ["1", "–"]
    field = driver.find_element("css selector", "[data-filter=all]")
    field.send_keys("large quadboost")
    rows = ".card:not([hidden]) tbody tr:not([hidden]) th a"
    assert shown.texts(rows) == ["Large"]
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


def test_the_theme_is_followed_chosen_and_kept(driver: webdriver.Chrome, out: Path) -> None:
    page = out / "small" / "report.html"
    shown = Shown(driver, page)
    colour = "return getComputedStyle(document.body).backgroundColor"
    look = "return getComputedStyle(document.querySelector('figure img')).filter"
    light = shown.do(colour)
    assert shown.do(look) == "none"
    shown.prefer("dark")
    shown.until("document.getElementById('theme').textContent === 'Light theme'")
    assert shown.do(colour) != light
    assert shown.do(look).startswith("invert(1)")
    shown.click("#theme")
    assert shown.do(colour) == light
    time.sleep(0.5)  # until Chrome has stored what a page keeps
    again = Shown(driver, page)
    again.prefer("dark")
    assert again.do(colour) == light
    again.do("localStorage.clear()")


def test_the_first_tab_leads_past_the_header(driver: webdriver.Chrome, out: Path) -> None:
    shown = Shown(driver, out / "small" / "report.html")
    shown.press(Keys.TAB)
    shown.until("document.activeElement.className === 'skip'")
    shown.press(Keys.ENTER)
    shown.until("document.activeElement.id === 'main'")
