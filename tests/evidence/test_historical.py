"""Defects of released validators: what the releases say, fresh where packages can be had, else as it was frozen."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.frozen import frozen_rows
from mateprobe.pipeline.programs import digests
from mateprobe.pipeline.studies import load_study
from mateprobe.pipeline.table_specs import TABLES

STUDIES = ("historical", "historical_first_run", "validator_defects")
RELEASES = ("before", "after")
Fixes = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def folder(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the studies of the project and what is made of them."""
    folder = tmp_path_factory.mktemp("defects")
    shutil.copytree(pytestconfig.rootpath / "studies", folder / "studies")
    return folder


@pytest.fixture(scope="module")
def fixes(pytestconfig: pytest.Config, folder: Path) -> Fixes:
    """What the last stage of a study wrote; environments are shared with the project."""

    def made(study: str) -> dict[str, Any]:
        path = folder / f"results/{study}/fixes.json"
        if not path.is_file():
            run(study)
        return json.loads(path.read_bytes())  # type: ignore[no-any-return]

    def run(study: str) -> None:
        stages = [["cases"], *([stage, "--validator", id] for stage in ("observe", "outcomes") for id in RELEASES)]
        with pytest.MonkeyPatch.context() as patch, chdir(folder):
            patch.setenv("MATEPROBE_CACHE", str(pytestconfig.rootpath / ".cache"))
            for stage, *arguments in [*stages, ["fixes"]]:
                assert main([stage, "--study", study, *arguments]) == 0

    return made


def ends(fix: dict[str, Any], role: str) -> tuple[str, ...]:
    """Return how the case of a role ended before and after the fix; nothing if there is no such case."""
    found = fix["ends"].get(role, {})
    return tuple(found[release] for release in RELEASES if found)


def rows(table: str, fixes: dict[str, Any]) -> list[list[Any]]:
    return [list(row) for row in TABLES[table].rows(fixes)]


KEPT = ["preserved", "preserved"]


def test_three_of_four_fixes_are_reproduced_and_every_control_is_preserved(fixes: Fixes) -> None:
    assert rows("historical", fixes("historical")) == [
        ["jsonschema #575", "3.0.1", "3.0.2", "survived", "detected", *KEPT, "yes"],
        ["jsonschema #1018", "4.17.1", "4.17.3", "error", "preserved", *KEPT, "yes"],
        ["marshmallow #2891", "4.2.0", "4.2.1", "regressed", "preserved", *KEPT, "yes"],
        ["marshmallow #2936", "4.2.3", "4.2.4", "preserved", "preserved", *KEPT, "no"],
    ]


def test_the_first_run_reproduced_one_and_says_why_not_the_others(fixes: Fixes) -> None:
    failed = ["baseline_failed"] * 4
    assert rows("historical_first_run", fixes("historical_first_run")) == [
        ["jsonschema #575", "3.0.1", "3.0.2", *failed, "no"],
        ["jsonschema #1018", "4.17.1", "4.17.2", "error", "unavailable", "preserved", "unavailable", "no"],
        ["marshmallow #2891", "4.2.0", "4.2.1", "regressed", "preserved", *KEPT, "yes"],
        ["marshmallow #2936", "4.2.3", "4.2.4", "preserved", "preserved", *KEPT, "no"],
    ]


def test_ten_reports_were_screened_and_six_left_out_each_with_a_reason(fixes: Fixes) -> None:
    screened = rows("historical_screening", fixes("historical"))
    assert [issue for issue, included, _ in screened if included == "no"] == [
        "jsonschema #945",
        "jsonschema #403",
        "pydantic #6130",
        "pydantic #8942",
        "marshmallow #1742",
        "pydantic #12348",
    ]
    assert (len(screened), all(reason for *_, reason in screened)) == (10, True)


def test_every_defect_ends_as_it_was_recorded_in_both_releases(fixes: Fixes) -> None:
    found = fixes("validator_defects")["fixes"]
    assert len(found) == 80
    assert len({fix["package"] for fix in found}) == 22
    assert [line for fix in found for line in fix["disagreements"]] == []
    assert Counter(fix["recorded"] for fix in found) == {6: 79, 4: 1}
    assert Counter((fix["relation"], *ends(fix, "trigger")) for fix in found) == {
        ("violation", "survived", "detected"): 38,
        ("preserve", "regressed", "preserved"): 35,
        ("preserve", "error", "preserved"): 7,
    }
    assert {ends(fix, "control") for fix in found} == {("preserved", "preserved")}
    assert {ends(fix, "negative") for fix in found} == {("detected", "detected"), ()}


def test_the_second_tier_is_shown_apart_and_a_report_counts_once(fixes: Fixes) -> None:
    assert rows("validator_defects_by_relation", fixes("validator_defects")) == [
        ["preserve", "A", 32, 31, 32, "64/64", "64/64", 192],
        ["preserve", "B", 10, 10, 10, "20/20", "18/18", 58],
        ["violation", "A", 31, 31, 31, "62/62", "62/62", 186],
        ["violation", "B", 7, 7, 7, "14/14", "14/14", 42],
    ]


def test_the_ends_of_a_defect_stand_in_the_order_of_its_releases(fixes: Fixes) -> None:
    first = rows("validator_defects_each", fixes("validator_defects"))[0]
    assert first == [
        "jsonschema #575",
        "jsonschema 3.0.1 → 3.0.2",
        "A",
        "survived → detected",
        "preserved → preserved",
        "detected → detected",
        "yes",
    ]


@pytest.mark.parametrize("table", ["validator_defects", "validator_defects_by_relation", "validator_defects_each"])
def test_each_table_of_defects_says_that_they_were_chosen(table: str) -> None:
    assert "triggers were chosen because a fix turns them" in TABLES[table].title


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("study", STUDIES)
def test_frozen_observations_are_of_the_locks_and_adapters_that_are_there(
    study: str, release: str, folder: Path
) -> None:
    with chdir(folder):
        listed = load_study(Path(f"studies/{study}.yaml")).data["validators"]
        validators = {validator["id"]: validator for validator in listed}
        frozen = frozen_rows(Path(f"studies/_frozen/{study}/{release}.jsonl"), digests(validators[release]))
    assert frozen


def test_no_lock_names_an_index(folder: Path) -> None:
    texts = {path.name: path.read_text() for path in folder.glob("studies/_locks/*.txt")}
    assert [name for name, text in texts.items() if "://" in text or "index-url" in text] == []


def test_every_lock_belongs_to_a_study(folder: Path) -> None:
    with chdir(folder):
        wanted = {
            name
            for study in (*STUDIES, "version_timeline")
            for name in load_study(Path(f"studies/{study}.yaml")).environments
        }
        assert {path.stem for path in Path("studies/_locks").glob("*.txt")} == wanted
