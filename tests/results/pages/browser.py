"""A page in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")


@contextmanager
def headless() -> Iterator[webdriver.Chrome]:
    """Start Debian's Chromium; nothing is downloaded."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("there is no chromium with its driver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    # The sandbox needs a user other than root.
    for word in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
        options.add_argument(f"--{word}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


class Shown:
    """A page that is shown in a window of some pixels."""

    def __init__(self, driver: webdriver.Chrome, page: Path, width: int = 1000) -> None:
        self.driver = driver
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.prefer("light")
        driver.get(page.as_uri())

    def prefer(self, scheme: str) -> None:
        preferences = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in preferences.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        # Scripts hear of it with the next frame.
        self.driver.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0]))")

    def do(self, script: str, *words: Any) -> Any:
        """Run a script, and return what it returns."""
        return self.driver.execute_script(script, *words)

    def until(self, condition: str) -> None:
        """Wait until an expression is true: a browser follows links and keys in its own time."""
        WebDriverWait(self.driver, 10, 0.05).until(lambda _: self.do(f"return {condition}"))

    def click(self, selector: str) -> None:
        found = self.driver.find_element("css selector", selector)
        self.do("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", found)
        found.click()

    def text(self, selector: str) -> str:
        return str(self.do("return document.querySelector(arguments[0]).textContent", selector))

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)"
        return [*self.do(script, selector)]

    def press(self, *keys: str) -> None:
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    @property
    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return int(self.do("return document.documentElement.scrollWidth - window.innerWidth"))

    @property
    def errors(self) -> list[str]:
        """What the console says."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def faults(self) -> list[str]:
        """What axe-core finds against rules of accessibility."""
        self.do(files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
        run = "axe.run({resultTypes: ['violations']}).then(arguments[0])"
        found = self.driver.execute_async_script(run)["violations"]
        return [f"{rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]
