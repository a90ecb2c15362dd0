"""What pages do in a browser; skipped where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium")
pytest.importorskip("axe_core_python")

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from quadrepro.results.page import write_all
from tests.results.made import Rows, make_folder, make_own_folder, run

pytestmark = pytest.mark.slow

SMALL, LARGE, ONE = ("small/report.html", "large/report.html", "one/report.html")
INDEX = "index.html"
"""Pages of a paper, of comparisons on several data sets and on one, and the index."""

LONG = "method_with_a_name_of_many_letters_and_no_blank_" * 2

ONE_SET: Rows = {
    ("wine_" * 20, column): tuple(range(n, 2 * n, n // i))
    for i, (column, n) in enumerate((("a", 10), ("b", 20), (LONG, 30), ("baseline", 40)), 1)
}
"""Results on one data set; the more splits there are, the slower is a method."""


class Browser:
    """Debian's Chromium, which shows the pages of a folder; nothing is downloaded."""

    def __init__(self, driver: webdriver.Chrome, out: Path) -> None:
        self.driver, self.out = driver, out

    def show(self, page: str, width: int = 1000, scheme: str = "light") -> None:
        """Load a page in a window of some pixels."""
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        preferences = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in preferences.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.driver.get("about:blank")
        self.driver.get(self.out.as_uri() + "/" + page)

    def get(self, expression: str, *words: Any) -> Any:
        """Return the value of an expression."""
        return self.driver.execute_script(f"return {expression}", *words)

    def until(self, condition: str) -> None:
        """Wait until an expression is true: a browser follows links and keys in its own time."""
        WebDriverWait(self.driver, 10, 0.05).until(lambda _: self.get(condition))

    def click(self, selector: str) -> None:
        element = self.driver.find_element("css selector", selector)
        self.get("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        element.click()

    def press(self, keys: str) -> None:
        webdriver.ActionChains(self.driver).send_keys(keys).perform()

    def filter(self, kind: str, words: str) -> None:
        self.driver.find_element("css selector", f"[data-filter={kind}]").send_keys(words)

    def texts(self, selector: str) -> list[str]:
        texts = "[...document.querySelectorAll(arguments[0])].map(e => e.textContent)"
        return [*self.get(texts, selector)]

    def boxes(self, selector: str) -> list[dict[str, float]]:
        """Return the places of elements in the window, in pixels."""
        boxes = "[...document.querySelectorAll(arguments[0])].map(e => e.getBoundingClientRect())"
        return [*self.get(f"{boxes}.map(b => b.toJSON())", selector)]

    def open_all(self) -> None:
        """Open everything that can be unfolded."""
        self.get("document.querySelectorAll('details').forEach(e => { e.open = true; })")

    def is_too_wide(self) -> bool:
        """Return whether the page is wider than the window."""
        return bool(self.get("document.documentElement.scrollWidth > window.innerWidth"))

    def faults(self) -> list[str]:
        """Return rules of accessibility that axe-core finds broken, and a page that is too wide."""
        axe = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
        self.driver.execute_script(axe)
        call = "axe.run({resultTypes: ['violations']}).then(arguments[0])"
        rules = [rule["id"] for rule in self.driver.execute_async_script(call)["violations"]]
        return [*rules, *["wider than the window"] * self.is_too_wide()]

    def messages(self) -> list[str]:
        """Return the messages of the console, and empty it."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Yield a browser, with some results folders, their pages and the index."""
    chromium, server = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or server is None:
        pytest.skip("chromium and its driver are not installed")
    out = tmp_path_factory.mktemp("out")
    sentence = "Best by risk: column 0 (0.1). Worse: column 1 (p = 0.010)."
    make_folder(out / "small", run__json=run(conclusion=sentence))
    make_folder(out / "unjudged", score__csv=None)
    rows = {
        (f"row {i}", f"column {j}"): ((7 * i + 3 * j) % 11, 9) for i in range(5) for j in range(6)
    }
    for name, own_rows, winners in (
        ("large", rows, {("column 0", "column 1"): "column 0"}),
        ("one", ONE_SET, {("a", "b"): "a", ("a", LONG): ""}),
    ):
        text = run(conclusion=sentence, title=name.title(), paper=None)
        make_own_folder(out / name, own_rows, winners, run__json=text)
    write_all(out)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    # The sandbox needs a user other than root.
    for word in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
        options.add_argument(f"--{word}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with webdriver.Chrome(options=options, service=Service(server)) as driver:
        yield Browser(driver, out)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", [SMALL, LARGE, ONE, INDEX])
def test_a_page_is_accessible_and_fits_a_phone(browser: Browser, page: str, scheme: str) -> None:
    browser.show(page, 360, scheme)
    browser.open_all()
    assert browser.faults() == []
    if page != INDEX:
        browser.click("#heat td button")
        assert browser.faults() == []
        assert browser.get("document.getElementById('entry').scrollWidth") <= 360
    assert browser.messages() == []


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("page", [SMALL, LARGE, ONE])
def test_picture_and_lines_are_on_the_first_screen(browser: Browser, page: str, width: int) -> None:
    browser.show(page, width)
    assert not browser.is_too_wide()
    [picture], lines = browser.boxes("figure.strips"), browser.boxes("p.statement")
    assert 1 <= len(lines) <= 4
    for box in (picture, *lines):
        assert 0 < box["top"] < box["bottom"] <= 800
        assert 0 <= box["left"] < box["right"] <= width
    dots, tracks = browser.boxes(".strips .line i"), browser.boxes(".strips .line")
    assert len(dots) >= 3
    assert all(dot["left"] >= 0 and dot["right"] <= width for dot in dots)
    assert len({(track["left"], track["right"]) for track in tracks}) == 1
    browser.open_all()
    assert not browser.is_too_wide()


@pytest.mark.parametrize("width", [400, 1280])
def test_names_next_to_running_times_are_inside_their_field(browser: Browser, width: int) -> None:
    browser.show(ONE, width)
    [field], names = browser.boxes(".field"), browser.boxes(".field span")
    assert len(names) >= 3
    for name in names:
        assert field["left"] <= name["left"] < name["right"] <= field["right"] + 1


def test_p_values_are_folded_away_until_they_are_asked_for(browser: Browser) -> None:
    for page in (SMALL, LARGE, ONE):
        browser.show(page)
        assert "p = " not in browser.get("document.querySelector('.lines').innerText")
        browser.click(".lines summary")
        browser.until("document.querySelector('.lines').innerText.includes('p = 0.010')")


def test_a_column_sorts_up_down_and_back(browser: Browser) -> None:
    browser.show(LARGE)
    head, rows = "#heat thead th:nth-child(7)", "#heat tbody th"
    before, orders = browser.texts(rows), []
    for aria in ("ascending", "descending", None):
        browser.click(f"{head} button")
        assert browser.get(f"document.querySelector('{head}').ariaSort") == aria
        orders.append([float(text) for text in browser.texts("#heat tbody td:nth-child(7) span")])
    assert orders[0] == sorted(orders[0])
    assert orders[1] == sorted(orders[1], reverse=True)
    assert browser.texts(rows) == before


def test_an_entry_opens_by_keyboard_with_its_splits_and_has_a_link(browser: Browser) -> None:
    browser.show(SMALL)
    browser.get("document.querySelectorAll('#heat td button')[1].focus()")
    browser.press(Keys.ENTER)
    browser.until("document.getElementById('entry').open")
    link = browser.get("location.hash")
    assert link == "#monks/adaboost"
    assert browser.texts("#entry h2") == ["monks, AdaBoost"]
    marks = ("circle", "path.printed", "rect")
    assert [len(browser.texts(f"#entry svg {mark}")) for mark in marks] == [3, 1, 1]
    assert browser.texts("#entry tbody td:nth-child(3)") == ["30 of 100", "30 of 100", "36 of 100"]
    browser.press(Keys.ESCAPE)
    browser.until("!document.getElementById('entry').open")
    browser.until("document.activeElement.closest('td')?.dataset.entry === 'monks/adaboost'")
    browser.until("location.hash === ''")
    browser.show(SMALL + link)
    browser.until("document.getElementById('entry').open")
    assert browser.messages() == []


def test_the_index_is_sorted_with_what_is_missing_last(browser: Browser) -> None:
    browser.show(INDEX)
    for _ in range(2):
        browser.click("table th:nth-child(4) button")
        cells = browser.texts("section[aria-labelledby=paper-1] tbody td:nth-child(4)")
        assert cells == ["1", "–"]


def test_filters_leave_what_has_the_words(browser: Browser) -> None:
    browser.show(LARGE)
    browser.filter("rows", "ROW 3")
    browser.filter("columns", "mn 2")
    assert browser.texts("#heat tbody tr:not([hidden]) th") == ["row 3"]
    assert len(browser.texts("#heat tr:not([hidden]) :is(th, td):not([hidden])")) == 2 + 2
    assert browser.texts("#said") == ["shown rows: 1"]
    browser.show(INDEX)
    for words, titles in (("large without", ["Large"]), (" nowhere", [])):
        browser.filter("all", words)
        assert browser.texts(".card:not([hidden]) tbody tr:not([hidden]) th a") == titles


def test_sections_stay_at_hand_and_the_first_tab_skips_the_header(browser: Browser) -> None:
    browser.show(LARGE, 1400)
    browser.press(Keys.TAB)
    browser.until("document.activeElement.className === 'skip'")
    browser.press(Keys.ENTER)
    browser.until("document.activeElement.id === 'main'")
    browser.click("nav a[href='#tables']")
    browser.until("location.hash === '#tables'")
    box = "document.querySelector(arguments[0]).getBoundingClientRect()"
    bottom = browser.get(f"{box}.bottom", "nav")
    assert browser.get(f"{box}.top", "nav") == 0
    assert browser.get(f"{box}.top", "#tables-title") >= bottom


def test_the_theme_is_followed_chosen_and_kept(browser: Browser) -> None:
    colour, colours = "getComputedStyle(document.body).backgroundColor", []
    for scheme in ("light", "dark"):
        browser.show(SMALL, scheme=scheme)
        colours.append(browser.get(colour))
    assert len({*colours}) == 2
    browser.click("#theme")
    assert browser.get(colour) == colours[0]

    def kept(driver: webdriver.Chrome) -> bool:
        driver.refresh()
        if browser.get(colour) != colours[0]:
            # Chrome left the page before it had stored the choice, which it does in its own time.
            browser.click("#theme")
            return False
        return True

    WebDriverWait(browser.driver, 10, 0.05).until(kept)
    browser.get("localStorage.clear()")
