"""Defects over the releases of their packages: what the frozen observations say, and that it agrees with the fixes."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.corpora.timeline import cases
from mateprobe.pipeline.defects import read_defects
from mateprobe.pipeline.frozen import frozen_rows
from mateprobe.pipeline.programs import digests
from mateprobe.pipeline.releases import in_order, release_key
from mateprobe.pipeline.studies import load_study
from mateprobe.pipeline.table_specs import TABLES
from mateprobe.pipeline.table_timelines import BAD, GOOD, STANDINGS, timelines
from mateprobe.pipeline.timelines import Timeline, read_timelines
from mateprobe.records import read_records

STUDY, VALIDATOR = "version_timeline", "every_release"
PACKAGES = {"jsonschema", "marshmallow", "packaging", "fastjsonschema"}
OUTCOMES = Path(f"results/{STUDY}/outcomes/{VALIDATOR}.jsonl")


@pytest.fixture(scope="module")
def folder(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the studies of the project and the outcomes of this one, all of it replayed."""
    folder = tmp_path_factory.mktemp("timeline")
    shutil.copytree(pytestconfig.rootpath / "studies", folder / "studies")
    with pytest.MonkeyPatch.context() as patch, chdir(folder):
        patch.setenv("MATEPROBE_CACHE", str(folder / ".cache"))
        patch.setenv("PATH", "")  # no program can be started
        assert main(["cases", "--study", STUDY]) == 0
        for stage in ("observe", "outcomes"):
            assert main([stage, "--study", STUDY, "--validator", VALIDATOR]) == 0
    return folder


@pytest.fixture(scope="module")
def standings(folder: Path) -> dict[str, dict[str, str]]:
    """How each release stands to each defect."""
    found = timelines(read_records(folder / OUTCOMES, "outcomes"))
    return {defect: dict(releases) for (_, defect, _), releases in found.items()}


@pytest.fixture(scope="module")
def listed(pytestconfig: pytest.Config) -> list[Timeline]:
    return read_timelines(pytestconfig.rootpath / "studies/_defects/version_timeline.json")


@pytest.fixture(scope="module")
def defects(pytestconfig: pytest.Config) -> dict[str, dict[str, Any]]:
    content = read_defects(pytestconfig.rootpath / "studies/_defects/validator_defects.json")
    return {defect["id"]: defect for defect in content["defects"]}


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the rows of the table by defect, each by column."""
    table = TABLES[STUDY]
    names = [column.name for column in table.columns]
    found = (dict(zip(names, row, strict=True)) for row in table.rows(read_records(folder / OUTCOMES, "outcomes")))
    return {row["defect"]: row for row in found}


def test_four_packages_are_followed_over_two_hundred_releases_each_in_the_order_of_its_versions(
    listed: list[Timeline],
) -> None:
    assert {timeline.package for timeline in listed} == PACKAGES
    assert sum(len(timeline.releases) for timeline in listed) == 203
    assert [[*timeline.releases] for timeline in listed] == [in_order(timeline.releases) for timeline in listed]


def test_every_defect_of_these_packages_is_asked_of_every_release(
    standings: dict[str, dict[str, str]], listed: list[Timeline], defects: dict[str, dict[str, Any]]
) -> None:
    assert set(standings) == {id for id, defect in defects.items() if defect["package"] in PACKAGES}
    for timeline in listed:
        assert [[*standings[id]] for id in timeline.defects] == [[*timeline.releases]] * len(timeline.defects)


def test_a_defect_is_in_the_release_before_its_fix_and_not_in_the_one_after(
    standings: dict[str, dict[str, str]], defects: dict[str, dict[str, Any]]
) -> None:
    pairs = {
        id: tuple(found[defects[id][release][0].partition("==")[2]] for release in ("before", "after"))
        for id, found in standings.items()
    }
    assert pairs == dict.fromkeys(standings, (BAD, GOOD))


def test_the_first_good_release_is_the_one_with_the_recorded_fix_and_no_defect_came_back(
    folder: Path, defects: dict[str, dict[str, Any]]
) -> None:
    found = rows(folder)
    recorded = {id: defects[id]["after"][0].partition("==")[2] for id in found}
    assert {id: row["first_good"] for id, row in found.items()} == recorded
    assert {id: row["last_bad"] for id, row in found.items()} == {
        id: defects[id]["before"][0].partition("==")[2] for id in found
    }
    assert {row["good_between"] for row in found.values()} == {0}


def test_a_defect_lies_between_its_first_and_its_last_bad_release(
    folder: Path, standings: dict[str, dict[str, str]]
) -> None:
    for id, row in rows(folder).items():
        first, last = release_key(row["first_bad"]), release_key(row["last_bad"])
        inside = {how for release, how in standings[id].items() if first <= release_key(release) <= last}
        outside = {how for release, how in standings[id].items() if not first <= release_key(release) <= last}
        assert (BAD in inside, GOOD in inside, BAD in outside) == (True, False, False), id


def test_some_defects_came_with_a_release_and_are_good_before_it(folder: Path) -> None:
    brought = {id: (row["last_good_before"], row["first_bad"]) for id, row in rows(folder).items()}
    assert {id: pair for id, pair in brought.items() if pair[0]} == {
        "jsonschema-1018-store-bool": ("4.15.0", "4.16.0"),
        "jsonschema-1056-date-py311": ("3.2.0", "4.0.1"),
    }


def test_releases_that_were_withdrawn_are_shown_and_each_field_has_one_standing(
    standings: dict[str, dict[str, str]], folder: Path
) -> None:
    missing = {(id.partition("-")[0], release) for id, found in standings.items() for release in found
               if found[release] == "unavailable"}  # fmt: skip
    assert missing == {("jsonschema", "4.0.0"), ("packaging", "20.6"), ("fastjsonschema", "2.22.0")}
    counted = Counter(how for found in standings.values() for how in found.values())
    shown = [sum(row[how.replace(" ", "_")] for row in rows(folder).values()) for how in STANDINGS]
    assert (shown, sum(shown)) == ([counted[how] for how in STANDINGS], 7 * 42 + 10 * 63 + 4 * 71 + 7 * 27)


def test_frozen_observations_are_of_the_locks_and_adapters_that_are_there(folder: Path) -> None:
    with chdir(folder):
        (validator,) = load_study(Path(f"studies/{STUDY}.yaml")).data["validators"]
        assert frozen_rows(Path(f"studies/_frozen/{STUDY}/{VALIDATOR}.jsonl"), digests(validator))


def test_a_wider_range_is_a_change_of_data_alone(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "studies", tmp_path / "studies")
    path = tmp_path / "studies/_defects/version_timeline.json"
    content = json.loads(path.read_bytes())
    content["timelines"][0]["releases"].append("4.99.0")
    path.write_text(json.dumps(content))
    with chdir(tmp_path):
        assert len(load_study(Path(f"studies/{STUDY}.yaml"), locked=False).environments) == 204
    ids = [case["id"] for case in cases(path.with_name("validator_defects.json"), path)]
    assert sum(id.startswith("jsonschema==4.99.0:") for id in ids) == 30


def test_the_tables_say_that_triggers_were_chosen() -> None:
    assert "triggers were chosen because a fix turns them" in TABLES[STUDY].title
