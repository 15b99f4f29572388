"""The profiles speak of rules that exist, and every rule has its place: a job, or where the run was started."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
RULES = {
    path.stem: path.read_text("utf-8") for path in (ROOT / "workflow/rules").glob("*.smk") if path.stem != "common"
}


def profile(name: str) -> dict[str, Any]:
    return yaml.safe_load((ROOT / "workflow/profiles" / name / "profile.yaml").read_text("utf-8"))  # type: ignore[no-any-return]


def local() -> set[str]:
    listed = (ROOT / "Snakefile").read_text("utf-8").partition("\nlocalrules:\n")[2].partition("\n\n")[0]
    return set(re.findall(r"\w+", listed)) | {rule for rule, text in RULES.items() if "localrule: True" in text}


def test_on_a_cluster_what_grows_with_the_cases_is_a_job_and_nothing_else() -> None:
    assert RULES.keys() - local() == {"cases", "observe", "outcomes", "summary", "statistics"}
    assert local() - RULES.keys() == {"all"}


def test_the_profile_of_a_cluster_names_rules_that_are_jobs() -> None:
    named = {
        entry.partition("=")[0].partition(":")[0]
        for key in ("groups", "set-resources")
        for entry in profile("slurm")[key]
    }
    assert named == {"observe", "outcomes", "summary", "statistics"}
    assert named & local() == set()


def test_profiles_differ_in_where_jobs_run_and_not_in_what_makes_a_run_end_well() -> None:
    here, cluster = profile("default"), profile("slurm")
    assert [(key, value) for key, value in here.items() if cluster.get(key) != value] == [("cores", "all")]


def test_the_page_on_clusters_names_where_each_stage_runs() -> None:
    page = (ROOT / "docs/scaling.md").read_text("utf-8")
    table = page.partition("| stage | where it runs |")[2].partition("\n\n")[0]
    jobs = {
        stage for cell in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for stage in re.findall(r"`(\w+)`", cell)
    }
    assert jobs == RULES.keys() - local()
