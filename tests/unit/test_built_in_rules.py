"""Built-in rules keep what they promise in five scripts, and nothing is claimed of what they cannot see."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mateprobe.canonical import digest
from mateprobe.engine import Profile
from mateprobe.mutations import violated
from mateprobe.pipeline.corpora.built_in_rules import cases
from mateprobe.pipeline.table_rules import guarantees, limits
from mateprobe.pipeline.yaml_file import read_yaml
from mateprobe.serialization import contracts_from_data, policy_from_data, sample_from_data

SETTINGS = read_yaml(Path(__file__).parents[2] / "studies/_profiles/built_in_rules.yaml").content
PROFILE = Profile(contracts_from_data(SETTINGS["contracts"], "contracts"))
POLICY = policy_from_data(SETTINGS["policy"], "policy")
ROWS = {promised: list(cases(seed=1, variations=1, promised=promised)) for promised in (True, False)}


def reported(sample: Mapping[str, Any]) -> tuple[bool, set[str]]:
    judged = sample_from_data(dict(sample))
    report = PROFILE.evaluate(judged.document, judged.context, POLICY)
    return report.accepted, {target.finding_id for target in violated(report)}


@pytest.mark.parametrize("promised", [True, False])
def test_every_baseline_is_accepted(promised: bool) -> None:
    assert {row["id"] for row in ROWS[promised] if not reported(row["baseline"])[0]} == set()


def test_every_fault_within_the_promise_is_named_and_every_control_accepted() -> None:
    wrong = []
    for row in ROWS[True]:
        accepted, ids = reported(row["variant"])
        if not (set(row["expected"]) <= ids if row["expected"] else accepted):
            wrong.append(row["family"])
    assert wrong == []


def test_every_fault_beyond_the_promise_survives_and_every_control_is_rejected() -> None:
    assert [row["family"] for row in ROWS[False] if reported(row["variant"])[0] != bool(row["expected"])] == []


def test_every_rule_is_asked_both_ways_in_every_language() -> None:
    rules = {rule.rule_id for rule in PROFILE.contracts}
    for promised in (True, False):
        asked = {tuple(row["family"].split("/")[:2]) for row in ROWS[promised] if row["expected"]}
        assert asked == {(language, rule) for language in ("en", "ru", "ar", "zh", "hi") for rule in rules}


def test_the_studies_ask_about_two_thousand_pairs_and_more() -> None:
    rows = [row for promised in (True, False) for row in cases(seed=20261201, variations=8, promised=promised)]
    pairs = {(digest(row["baseline"]), digest(row["variant"])) for row in rows}
    assert len(pairs) >= 2000
    assert all(baseline != variant for baseline, variant in pairs)
    assert len({row["id"] for row in ROWS[True]}) == len(ROWS[True])


def summary(**families: tuple[int, int, int, int]) -> dict[str, Any]:
    keys = ("eligible_faults", "detected_faults", "eligible_controls", "preserved_controls")
    figures = {name: dict(zip(keys, counts, strict=True)) for name, counts in families.items()}
    return {"study": "s", "order": ["v"], "validators": {"v": {"families": figures}}}


ENDED = {
    "en/thin/empty": (8, 7, 0, 0),
    "en/thin/one_word": (4, 4, 0, 0),
    "en/thin/kept.nfd": (0, 0, 3, 2),
    "hi/thin/empty": (8, 0, 0, 0),
}


def test_the_edits_of_a_rule_are_added_up_by_language() -> None:
    assert list(guarantees(summary(**ENDED))) == [
        ["s", "v", "thin", "controls", "2/3", None, None, None, None],
        ["s", "v", "thin", "faults", "11/12", None, None, None, "0/8"],
    ]


def test_each_edit_has_a_row_of_its_own() -> None:
    assert list(limits(summary(**ENDED))) == [
        ["s", "v", "thin", "empty", "faults", "7/8", None, None, None, "0/8"],
        ["s", "v", "thin", "nfd", "controls", "2/3", None, None, None, None],
        ["s", "v", "thin", "one word", "faults", "4/4", None, None, None, None],
    ]
