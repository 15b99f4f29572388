"""A report of one small study with everything in it that could break a page, and a browser that looks at it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from mateprobe.pipeline.__main__ import main
from tests.page.browser import Browser, browser
from tests.unit.conftest import CODE, row, study

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MARKUP = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
HOSTILE = f"{MARKUP} 'quoted' \\ ${{x}} `\u2028 \u202etxt.exe\u202c \u0007\u200b caf\u00e9"
LONG = "word " * 200_000  # 1 MB

SAMPLES: dict[str, tuple[Any, Any]] = {
    "kinds": ({"n": 1, "one": 1, "exact": 1, "__proto__": {"n": 1}}, {"n": -1, "one": 1.0, "exact": 2**60 + 1}),
    "long": ({"n": 1, "text": LONG}, {"n": -1, "text": f"{LONG[:500_000]}NEEDLE{LONG[500_000:]}"}),
    MARKUP: ({"n": 1, "text": "plain"}, {"n": -1, "text": HOSTILE}),
    "words": ({"n": 1, "text": "The agent asks."}, {"n": 1, "text": "Then the agent asks."}),
    "many": ({"n": 1, "all": [*range(400)]}, {"n": -1, "all": [*range(200), "new", *range(200, 400)]}),
}


def rows() -> list[dict[str, Any]]:
    """Return the cases: plain ones enough for three pages, then those of SAMPLES."""
    plain = [row(f"n{number:03d}", 1, -number) for number in range(130)]
    kept = [row("control", 1, 2, relation="preserve"), row("missed", 1, 3), row("crash", 1, 13)]
    special = [{**row(id), "baseline": one, "variant": other} for id, (one, other) in SAMPLES.items()]
    return [*plain, *kept, *special]


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the report."""
    folder = tmp_path_factory.mktemp("page")
    before = Path.cwd()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("MATEPROBE_CACHE", raising=False)
        patch.setattr(sys, "path", [*sys.path])
        patch.setattr(os, "fsync", lambda _: None)
        content = study(*rows(), title=f"Demo {HOSTILE}", gate={"validator": "by_sign"})
        Path("studies/_code").mkdir(parents=True)
        Path("studies/_code/numbered.py").write_text(CODE)
        Path("studies/demo.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
        each = ("--study", "demo", "--validator", "by_sign")
        stages = [("cases", *each[:2]), ("observe", *each), ("outcomes", *each), ("summary", *each[:2])]
        stages += [("gate", *each[:2]), ("page", "demo")]
        assert [stage for stage in stages if main(stage) != 0] == []
        sys.modules.pop("numbered", None)
    assert Path.cwd() == before
    return folder / "results" / "report"


@pytest.fixture(scope="session")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser, the same for all tests of a process."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: install it to look at the page (Debian: apt-get install chromium)")
    with browser(CHROMIUM, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def page(report: Path, tab: Browser) -> Iterator[Browser]:
    """The browser at the front page; whatever a test does, the page complains of nothing and asks for no other file."""
    tab.complaints.clear()
    tab.asked_for.clear()
    tab.open(address(report))
    yield tab
    assert tab.complaints == []
    assert [url for url in tab.asked_for if not url.startswith((report.as_uri(), "about:", "data:"))] == []


def address(report: Path, fragment: str = "") -> str:
    """Return the address of a view of the report, on the disk."""
    return f"{(report / 'index.html').as_uri()}{fragment}"
