from __future__ import annotations

import base64
import hashlib
import re

from quadrepro.results.folder import Folder
from quadrepro.results.pages.index import page_html


def test_a_page_allows_its_own_script_alone(folder: Folder) -> None:
    html = page_html(folder)
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_style_and_script_load_nothing(folder: Folder) -> None:
    html = page_html(folder)
    for tag in ("script", "style"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        assert not re.search(r"url\(|@import|fetch\(|XMLHttp|innerHTML|eval\(", text)
        assert set(re.findall(r"https?://[\w./]+", text)) <= {"http://www.w3.org/2000/svg"}
