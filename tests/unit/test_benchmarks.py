"""The measurements measure what they say; no test depends on what they find."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchmarks import cost, distinct, loop_worker, orders, scale
from benchmarks.__main__ import PARTS, page
from benchmarks.critical import Job, critical_path
from benchmarks.measure import Part, exponent, run, table
from mateprobe.canonical import digest
from mateprobe.pipeline.corpora import feasibility


@pytest.mark.parametrize("power", [0.5, 1, 2])
def test_the_exponent_of_a_power_is_that_power(power: float) -> None:
    sizes = [1, 2, 4, 8]
    assert exponent(sizes, [3 * size**power for size in sizes]) == pytest.approx(power)


def test_a_process_is_charged_with_its_children_and_not_with_the_memory_of_who_started_it(tmp_path: Path) -> None:
    held = bytearray(200_000_000)
    alone = run([sys.executable, "-I", "-c", ""], tmp_path, os.environ)
    assert alone.memory < len(held) // 2
    child = "import subprocess, sys; subprocess.run([sys.executable, '-Ic', 'bytearray(300_000_000)'])"
    assert run([sys.executable, "-I", "-c", child], tmp_path, os.environ).memory > 300_000_000


def test_a_command_that_fails_ends_the_measurement_and_is_shown(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"(?s)no more.*exit code 3"):
        run([sys.executable, "-c", "import sys; sys.stderr.write('no more\\n'); sys.exit(3)"], tmp_path, os.environ)


def test_no_two_groups_of_the_measured_corpus_share_a_sample() -> None:
    rows = list(distinct.cases(seed=1729, variations=300))
    shared = list(feasibility.cases(seed=1729, variations=300))
    assert [row["id"] for row in rows] == [row["id"] for row in shared]
    groups = {row["group"] for row in rows}
    assert len({digest(row["baseline"]) for row in rows}) == len(groups)
    assert len({digest(row["baseline"]) for row in shared}) < len(groups)


def test_the_page_shows_figures_before_details() -> None:
    found = {"audit": Part([("a ratio", "9.0 ×", "≥ 8 ×")], "How it was measured.")}
    text = page(found, [0.4, 7.6])
    assert "0 to 8 processes wanted a core" in text
    assert text.endswith(
        "| what | found | goal |\n| --- | --: | --: |\n| a ratio | 9.0 × | ≥ 8 × |\n\n"
        f"## {PARTS['audit']}\n\nHow it was measured."
    )


def test_a_table_aligns_figures_to_the_right() -> None:
    assert table(("a", "b"), [("x", "1")]) == "| a | b |\n| --- | --: |\n| x | 1 |"


def test_the_critical_path_is_the_chain_that_takes_longest_not_the_longest_job() -> None:
    jobs = {
        "alone": Job(5, set(), {"a"}),
        "first": Job(2, {"source"}, {"b", "c"}),
        "second": Job(1, {"c"}, {"d"}),
        "last": Job(3, {"b", "d"}, {"e"}),
    }
    assert critical_path(jobs) == ["first", "second", "last"]
    assert critical_path({}) == []


@pytest.mark.parametrize("name", loop_worker.VALIDATORS)
def test_a_bare_loop_counts_every_fault_and_control(name: str) -> None:
    find, form = loop_worker.VALIDATORS[name]
    assert loop_worker.bare(loop_worker.pairs(9, form), find) == (4, 5)
    ways = loop_worker.by_audit(loop_worker.pairs(9, form), find)
    assert {name: way() for name, way in ways.items()} == {"tool": (4, 5), "validator": (4, 5)}


def test_the_measured_validator_of_orders_finds_the_faults_alone() -> None:
    rows = list(orders.cases(pairs=10))
    assert [list(orders.judge(row["variant"]).violations) for row in rows] == [row["expected"] for row in rows]
    assert all(orders.judge(row["baseline"]).accepted for row in rows)
    assert len({digest(row[side]) for row in rows for side in ("baseline", "variant")}) == 20


def test_the_jobs_of_a_study_come_after_what_they_read() -> None:
    jobs = scale._jobs(["a", "b"])
    assert [job for job, after in jobs.items() if not after] == [scale.Job("cases")]
    assert jobs[scale.Job("outcomes", "a")] == {scale.Job("observe", "a", 0), scale.Job("observe", "a", 1)}
    assert jobs[scale.Job("summary")] == {scale.Job("outcomes", "a"), scale.Job("outcomes", "b")}
    assert len(jobs) == 9
    assert set().union(*jobs.values()) == jobs.keys() - {scale.Job("tables")}


RATES = {
    "cases": cost.Rate(60_000, 1_000, 10),
    "observe, reading": cost.Rate(6_000, 0, 100),
    "observe, judging": cost.Rate(120_000, 2_000, 0),
    "outcomes": cost.Rate(24_000, 500, 300),
    "summary": cost.Rate(6_000, 0, 0),
}


def test_every_shard_pays_for_reading_and_judging_is_divided() -> None:
    disk = {"on disk, GB": 3.5, "largest job, GB resident": 0.3}
    assert cost.worked(RATES, 1, 1_000_000) == {
        "processor, min": 3.6, "by the clock, min": 3.6, "read by shards, GB": 1, **disk,
    }  # fmt: skip
    assert cost.worked(RATES, 4, 1_000_000) == {
        "processor, min": 3.9, "by the clock, min": 2.1, "read by shards, GB": 4, **disk,
    }  # fmt: skip


def test_the_page_on_clusters_works_its_costs_out_of_the_rates_it_shows() -> None:
    page = cost.PAGE.read_text("utf-8")
    assert cost.renewed(page, cost.rates_of(page)) == page
    assert cost.rates_of(cost.renewed(page, RATES)) == RATES


def test_a_page_without_a_place_for_the_costs_is_named() -> None:
    with pytest.raises(SystemExit, match=r"scaling\.md: expected a table after a comment .* 'measured', found none"):
        cost.rates_of("# Nothing\n")
