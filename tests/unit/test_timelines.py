"""Which releases have a defect: how a release stands, between which releases it lies, which releases there are."""

from __future__ import annotations

import pytest

from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.releases import from_pip, in_order
from mateprobe.pipeline.table_timelines import standing


def ended(
    trigger: str, control: str = "preserved", negative: str = "detected", reason: str = ""
) -> list[dict[str, str]]:
    """Return the outcomes of a defect's three cases, of which the trigger is a fault."""
    cases = [("trigger", trigger, "violation"), ("control", control, "preserve"), ("negative", negative, "violation")]
    return [
        {"family": role, "outcome": outcome, "relation": relation, "reason": reason}
        for role, outcome, relation in cases
    ]


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        (ended("survived"), "bad"),
        (ended("error"), "bad"),
        (ended("detected"), "good"),
        (ended("unattributed_rejection"), "not comparable"),
        (ended("baseline_failed"), "not comparable"),
        (ended("survived", control="regressed"), "not comparable"),
        (ended("detected", negative="survived"), "not comparable"),
        (ended("error", control="baseline_failed"), "not comparable"),
        (ended("baseline_failed", reason="baseline_error: unavailable: it was withdrawn"), "unavailable"),
        (ended("error", reason="variant_error: cannot load the adapter: ImportError: no x"), "unavailable"),
        (ended("survived")[:2], "bad"),
    ],
)
def test_a_release_has_a_defect_if_it_gets_only_the_trigger_wrong(cases: list[dict[str, str]], expected: str) -> None:
    assert standing(cases) == expected


def test_releases_stand_in_the_order_of_their_numbers() -> None:
    assert in_order(["2.10", "2.9", "10.0", "2.9.1", "2.9"]) == ["2.9", "2.9.1", "2.10", "10.0"]


SAID = """\
Fetched page https://index/simple/tiny/ as application/vnd.pypi.simple.v1+json
  Found link https://index/a/tiny-1.0-py3-none-any.whl (from https://index/) (requires-python:>=3.7), version: 1.0
  Found link https://index/a/tiny-1.0.tar.gz (from https://index/), version: 1.0
  Found link https://index/a/tiny-2.0rc1.tar.gz (from https://index/), version: 2.0rc1
  Skipping link: yanked for reason: has 9-9.tar.gz in it: https://index/tiny-1.1-py3-none-any.whl (from https://index/)
  Skipping link: yanked for reason: <none given>: https://index/tiny-1.2.tar.gz (from https://index/)
  Skipping link: wrong project name (not tiny): https://index/small-7.0.tar.gz (from https://index/)
Available versions: 1.0
"""


def test_final_releases_are_listed_also_those_that_were_withdrawn() -> None:
    assert in_order(from_pip(SAID)) == ["1.0", "1.1", "1.2"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--since", "1.1"], '["1.1", "1.2"]\n'),
        (["--until", "1.1"], '["1.0", "1.1"]\n'),
        (["--since", "1.1", "--until", "1.1.0"], '["1.1"]\n'),
    ],
)
def test_a_range_takes_in_both_its_ends(
    arguments: list[str], expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mateprobe.pipeline.releases._listed", lambda _: from_pip(SAID))
    assert (main(["releases", "tiny", *arguments]), capsys.readouterr().out) == (0, expected)


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["--since", "3"], 1, "tiny: the index has no release from 3 to the last"),
        (["--since", "1.x"], 2, "--since='1.x': expected a final release such as 4.17.3"),
        (["--until", "--since"], 2, "expected one argument"),
    ],
)
def test_a_range_that_cannot_be_listed_is_named(
    arguments: list[str], code: int, expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mateprobe.pipeline.releases._listed", lambda _: from_pip(SAID))
    try:
        ended = main(["releases", "tiny", *arguments])
    except SystemExit as stop:
        ended = int(stop.code or 0)
    assert ended == code
    assert expected in capsys.readouterr().err
