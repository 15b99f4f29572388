"""The page as a reader sees it, in a browser, opened from the disk: with a mouse, by keyboard, in the dark."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.page.browser import Browser
from tests.page.conftest import HOSTILE, LONG, MARKUP, address

STUDY = "#study/demo"
FOCUSED = "document.activeElement"


def case(id: str, **chosen: str) -> str:
    """Return the address of a case."""
    return f"{STUDY}?case={quote(id, safe='')}" + "".join(f"&{key}={value}" for key, value in chosen.items())


def plain(text: str) -> str:
    """Return a text as it is shown: what nobody would see, by its name."""
    return re.sub("[\u2028\u202e\u202c\u0007\u200b]", lambda found: f"U+{ord(found[0]):04X}", text)


def status(page: Browser) -> str:
    return page.text("[role=status]")


def test_the_front_page_lists_the_study_with_its_cases_and_its_gate(page: Browser) -> None:
    cells = page.texts("main table tbody tr td")
    assert [cells[0], cells[1], cells[2], cells[3]] == ["demo", f"Demo {plain(HOSTILE)}", "138", "1"]
    assert cells[5].startswith("✗ by_sign")


def test_the_study_shows_how_the_cases_of_each_obligation_ended(page: Browser, report: Path) -> None:
    page.open(address(report, STUDY))
    headings = page.texts("section:nth-of-type(2) th")
    (obligation, evidence, *counts) = page.texts("section:nth-of-type(2) tbody td")
    assert obligation == "signThe number is not below zero."
    assert evidence == "known gaps"
    assert dict(zip(headings[2:], counts, strict=True)) == {
        "✓ detected": "133", "✗ survived": "3", "✓ preserved": "1", "! error": "1",
    }  # fmt: skip


def test_a_count_leads_to_its_cases(page: Browser, report: Path) -> None:
    page.open(address(report, STUDY))
    page.run("[...document.querySelectorAll('section:nth-of-type(2) td a')].find((a) => a.textContent === '3').click()")
    page.settle()
    assert status(page) == "3 of 138 cases, 1 to 3 shown"
    assert page.texts(".cases a") == ["missed", "n000", "words"]
    assert page.run(f"{FOCUSED}.textContent") == "Cases"


def test_cases_are_found_by_what_is_typed_and_the_address_keeps_it(page: Browser, report: Path) -> None:
    page.open(address(report, STUDY))
    page.run("document.querySelector('input[name=q]').focus()")
    page.type("N12")
    assert status(page) == "10 of 138 cases, 1 to 10 shown"
    assert page.run("location.hash") == "#study/demo?q=N12"
    assert page.run(f"{FOCUSED}.name") == "q"


def test_cases_are_listed_a_page_at_a_time(page: Browser, report: Path) -> None:
    page.open(address(report, STUDY))
    shown = [status(page)]
    for label in ("Next", "Last", "Previous"):
        page.run(f"[...document.querySelectorAll('.pages button')].find((b) => b.textContent === '{label}').click()")
        shown.append(status(page))
    assert [line.partition(", ")[2] for line in shown] == [
        "1 to 50 shown", "51 to 100 shown", "101 to 138 shown", "51 to 100 shown",
    ]  # fmt: skip


def test_the_keyboard_alone_reaches_a_case_and_comes_back(page: Browser) -> None:
    def press_until(expression: str) -> None:
        for _ in range(200):
            page.press("Tab")
            if page.run(expression):
                outline = page.run(f"getComputedStyle({FOCUSED}).outlineStyle")
                assert outline == "solid"
                page.press("Enter")
                page.settle()
                return
        raise AssertionError(f"no Tab leads to {expression}")

    press_until(f"{FOCUSED}.textContent === 'demo'")
    assert page.run(f"{FOCUSED}.tagName") == "H1"
    press_until(f"{FOCUSED}.textContent === 'n001'")
    assert (page.text("h1"), page.run(f"{FOCUSED}.tagName")) == ("n001", "H1")
    press_until(f"{FOCUSED}.textContent === 'Next case'")
    assert page.text("h1") == "n002"
    page.run("document.querySelector('header a').focus()")
    press_until(f"{FOCUSED}.textContent === 'All chosen cases'")
    assert status(page) == "138 of 138 cases, 1 to 50 shown"


def test_a_case_shows_both_samples_and_marks_whole_words_that_differ(page: Browser, report: Path) -> None:
    page.open(address(report, case("words")))
    assert page.texts(".diff th") == ["Baseline", "Variant"]
    assert page.texts(".gone mark") == ["The"]
    assert page.texts(".come mark") == ["Then the"]
    assert page.texts(".diff .come .sign") == ["+"]


def test_a_case_shows_what_was_expected_and_reported_and_what_each_validator_said(page: Browser, report: Path) -> None:
    verdicts = {}
    for id in ("n001", "missed", "crash"):
        page.open(address(report, case(id)))
        verdicts[id] = page.texts("section:nth-of-type(1) td")
    expected = "sign/NEGATIVE@n"
    assert verdicts["n001"][:5] == ["by_sign", "accepted", "rejected", f"{expected} expected", "✓ detected"]
    assert verdicts["missed"][:5] == ["by_sign", "accepted", "accepted", f"{expected} not reported", "✗ survived"]
    assert verdicts["crash"][4:] == ["! error", "variant error: ValueError: thirteen"]


def test_values_that_differ_in_kind_alone_are_told_apart_and_none_is_lost(page: Browser, report: Path) -> None:
    page.open(address(report, case("kinds")))
    rows = [(row[0][1:].strip(), row[1][1:].strip()) for row in zip(*[iter(page.texts(".diff td"))] * 2, strict=True)]
    assert ('"exact": 1,', '"exact": 1152921504606846977,') in rows
    assert ('"one": 1', '"one": 1.0') in rows
    assert '"__proto__": {' in [left for left, _ in rows]


def test_text_of_a_case_is_never_markup_and_hides_nothing(page: Browser, report: Path) -> None:
    for view in ("", STUDY, case(MARKUP), f"{STUDY}?q={quote(MARKUP)}", f"#study/{quote(MARKUP, safe='')}"):
        page.open(address(report, view))
        assert page.run("document.querySelectorAll('main img, main script').length") == 0
        assert "owned" not in page.run("document.title").split(" · ")[0].split()
    page.open(address(report, case(MARKUP)))
    assert page.text("h1") == MARKUP
    assert page.texts(".come mark")[1].startswith("</script><script>document.title='owned'</script><img src=x onerror=")
    assert {"U+202E", "U+202C", "U+2028", "U+200B"} <= set(page.texts(".diff .unseen"))


def test_a_text_of_a_megabyte_is_cut_around_its_difference_and_can_be_shown_whole(page: Browser, report: Path) -> None:
    page.open(address(report, case("long")))
    assert ["NEEDLE" in text for text in page.texts(".come mark")] == [False, True]
    assert len(page.text(".diff")) < 10_000
    page.run("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Show long lines whole').click()")
    assert len(page.text(".diff")) > 2 * len(LONG)


def test_equal_lines_far_from_a_difference_are_folded_and_open_by_a_button(page: Browser, report: Path) -> None:
    page.open(address(report, case("many")))
    before = page.run("document.querySelectorAll('.diff tbody tr').length")
    assert (page.texts(".fold button"), before < 20) == (["Show 199 equal lines", "Show 195 equal lines"], True)
    page.run("document.querySelector('.fold button').click()")
    assert page.run("document.querySelectorAll('.diff tbody tr').length") == before + 198


def test_light_and_dark_are_as_the_reader_has_them(page: Browser) -> None:
    colours = {}
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        style = "getComputedStyle(document.body)"
        colours[scheme] = page.run(f"[{style}.backgroundColor, {style}.color]")
    page.prefer("light")
    assert colours == {
        "light": ["rgb(255, 255, 255)", "rgb(27, 31, 36)"],
        "dark": ["rgb(13, 17, 23)", "rgb(230, 237, 243)"],
    }


@pytest.mark.parametrize("view", ["", STUDY, case("many")], ids=["front", "study", "case"])
def test_whatever_can_be_operated_has_a_name(page: Browser, report: Path, view: str) -> None:
    page.open(address(report, view))
    nodes = page.send("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "combobox", "searchbox", "link", "table", "region", "image"}
    operated = [node for node in nodes if node.get("role", {}).get("value") in roles]
    assert operated
    assert [node["role"]["value"] for node in operated if not node.get("name", {}).get("value")] == []


@pytest.mark.parametrize(
    ("view", "said"),
    [
        ("#study/nowhere", "there is no study nowhere"),
        ("#study/..%2F..%2Fevil", "there is no study ../../evil"),
        ("#study/%E0%A4%A", "URI malformed"),
        (case("nobody"), "study demo has no case nobody"),
    ],
    ids=["no study", "a path", "no address", "no case"],
)
def test_an_address_that_leads_nowhere_says_so(page: Browser, report: Path, view: str, said: str) -> None:
    page.open(address(report, view))
    assert page.text("[role=alert]") == said


def test_a_data_file_that_is_missing_is_named(page: Browser, report: Path) -> None:
    part = report / "studies/demo/cases.000.js"
    moved = part.rename(part.with_suffix(".away"))
    try:
        page.open(address(report, case("n000")))
        said = page.text("[role=alert]")
    finally:
        moved.rename(part)
    assert said == "studies/demo/cases.000.js is missing beside this page; make the report again"
    assert [line for line in page.complaints if "ERR_FILE_NOT_FOUND" not in line] == []
    page.complaints.clear()
