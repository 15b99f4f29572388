"""``reproduce`` runs the workflow and ends with the tables, the agreement and where everything lies."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from mateprobe.pipeline import at_work, reproduce
from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.stage import run_stage
from mateprobe.pipeline.table_specs import TABLES

SNAKEMAKE = """
import sys
from pathlib import Path
Path("arguments").write_text(" ".join(sys.argv[1:]))
print(Path("output").read_text())
sys.exit(int(Path("code").read_text()))
"""
WORKED = "total    3\n1 of 3 steps (33%) done\n3 of 3 steps (100%) done\n"
FEASIBILITY = {
    "columns": ["study", "validator", "tp", "fn", "fp", "tn", "precision", "recall", "valid_acceptance"],
    "rows": [["demo", "strict", 1384, 96, 48, 192, 8 / 9, 0.8, "undefined"]],
}
AGREEMENT = {
    "columns": ["study", "frozen", "cases", "values", "differences"],
    "rows": [["demo", "a/campaign.json", 720, 99_000, 0], ["other", "b/campaign.json", 21, 1_000, 0]],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the workflow is a stand-in that says what it is told to."""
    monkeypatch.chdir(tmp_path)
    Path("snakemake.py").write_text(SNAKEMAKE)
    for profile in ("default", "slurm"):
        Path("workflow/profiles", profile).mkdir(parents=True)
        Path("workflow/profiles", profile, "profile.yaml").touch()
    stand_in(WORKED)
    return tmp_path


def stand_in(output: str, code: int = 0) -> None:
    Path("output").write_text(output)
    Path("code").write_text(str(code))


def write_table(name: str, content: object) -> None:
    path = Path(f"results/tables/{name}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def last_lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()[-3:]


def test_the_last_lines_say_how_it_went_and_where_things_are(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_table("agreement", AGREEMENT)
    assert main(["reproduce"]) == 0
    agreement, places, jobs = last_lines(capsys)
    assert agreement == "Agreement: 2 frozen reports, 741 cases, 100,000 values compared, 0 differences"
    assert places == (
        "Tables: results/tables/, figures: results/figures/, paper: results/paper/, "
        "studies: results/STUDY/, logs: results/logs/, page: results/report/"
    )
    assert jobs.startswith("3 jobs ran; ")
    assert jobs.endswith(" s")


def test_with_nothing_to_do_it_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stand_in("Nothing to be done (all requested files are present and up to date).\n")
    assert main(["reproduce"]) == 0
    agreement, _, jobs = last_lines(capsys)
    assert agreement == "Agreement: no study with a frozen report was run"
    assert jobs.startswith("nothing to do: everything is up to date; ")


def test_tables_are_shown_as_people_read_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_table("feasibility", FEASIBILITY)
    assert main(["reproduce"]) == 0
    shown = capsys.readouterr().out
    assert "Feasibility: each validator's verdict on the variants, by rejection alone" in shown
    assert "results/tables/feasibility.json" in shown
    (line,) = [line for line in shown.splitlines() if "strict" in line]
    assert [cell.strip() for cell in line.strip("│").split("│")] == [
        "demo", "strict", "1,384", "96", "48", "192", "88.9%", "80.0%", "undefined",
    ]  # fmt: skip


def made_table(name: str, content: object, study: str) -> None:
    """Make a table as its stage would, from an artifact of a study."""
    source = Path(f"results/{study}/summary.json")
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text("{}")

    def make(partial: Mapping[str, Path]) -> None:
        partial["json"].write_text(json.dumps(content))

    run_stage(
        "tables",
        inputs={source.as_posix(): source},
        params={},
        modules=["mateprobe.pipeline.tables"],
        outputs={"json": Path(f"results/tables/{name}.json")},
        make=make,
        receipt=Path(f"results/tables/receipts/{name}.json"),
    )


def test_a_table_says_which_of_its_studies_was_replayed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made_table("feasibility", FEASIBILITY, "demo")
    made_table("agreement", AGREEMENT, "other")
    log = Path("results/logs/demo/observe.strict.log")
    log.parent.mkdir(parents=True)
    log.write_text("observe: replayed studies/_frozen/demo/strict.jsonl: the index does not answer\n")
    assert main(["reproduce"]) == 0
    shown = capsys.readouterr().out
    assert "results/tables/feasibility.json; replayed from frozen observations: demo" in shown
    assert "results/tables/agreement.json " in shown
    assert shown.count("replayed from frozen observations") == 1


def test_a_text_is_shown_as_it_stands(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = "[red]a[/] [/b] :smile:"
    write_table("agreement", {**AGREEMENT, "rows": [[odd, "a/campaign.json", 1, 2, 0]]})
    assert main(["reproduce"]) == 0
    assert odd in capsys.readouterr().out


def test_targets_and_cores_are_passed_on(folder: Path) -> None:
    assert main(["reproduce", "feasibility", "support", "--cores", "3"]) == 0
    assert Path("arguments").read_text() == (
        "--workflow-profile workflow/profiles/default feasibility support --cores 3"
    )


def test_without_cores_the_profile_decides(folder: Path) -> None:
    assert main(["reproduce", "--profile", "slurm"]) == 0
    assert Path("arguments").read_text() == "--workflow-profile workflow/profiles/slurm"


@pytest.mark.parametrize("name", ["slum", "../profiles/slurm", "", "."])
def test_a_profile_that_is_not_there_is_refused_before_anything_runs(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["reproduce", "--profile", name]) == 2
    assert f"reproduce: --profile={name!r}: expected one of 'default', 'slurm'" in capsys.readouterr().err
    assert not Path("arguments").exists()


GATED = {
    "study": "demo",
    "title": "Demo",
    "cases": {"file": "demo.csv"},
    "obligations": [{"id": "sign", "description": "It is above zero."}],
    "validators": [{"id": "strict", "command": ["judge"]}, {"id": "lenient", "command": ["judge"]}],
    "gate": [{"validator": "strict"}, {"validator": "lenient", "detection": 0.5}],
}
GATES: dict[str, tuple[tuple[str, str], int, str]] = {
    "met": (("met", "met"), 0, "Gates: 2 of 2 met"),
    "not met": (("met", "not_met"), 1, "Gates: 1 of 2 met; demo lenient not_met: so far"),
    "failed": (("failed", "met"), 1, "Gates: 1 of 2 met; demo strict failed: so far"),
}


@pytest.mark.parametrize("place", ["studies", "elsewhere"])
@pytest.mark.parametrize("gates", GATES.values(), ids=GATES.keys())
def test_gates_are_told_in_one_line_and_one_that_is_not_met_fails_the_run(
    folder: Path, capsys: pytest.CaptureFixture[str], place: str, gates: tuple[tuple[str, str], int, str]
) -> None:
    standings, code, line = gates
    Path(place).mkdir()
    Path(place, "demo.csv").write_text("id,obligation,relation,baseline,variant\n")
    Path(place, "demo.yaml").write_text(json.dumps(GATED))
    listed = [
        {"validator": id, "standing": standing, "told": f"{standing}: so far"}
        for id, standing in zip(("strict", "lenient"), standings, strict=True)
    ]
    for name, content in (("unrun", GATED), ("ungated", {key: GATED[key] for key in GATED if key != "gate"})):
        Path(place, f"{name}.yaml").write_text(json.dumps({**content, "study": name}))
    for study in ("demo", "removed", "ungated"):  # what is left of a study or a gate that is no more is no gate
        Path("results", study).mkdir(parents=True)
        Path("results", study, "gate.json").write_text(json.dumps({"met": code == 0, "gates": listed}))
    assert main(["reproduce", "--studies", place]) == code
    assert line in capsys.readouterr().out.splitlines()
    assert ("--config studies=elsewhere" in Path("arguments").read_text()) is (place == "elsewhere")


def test_a_study_asked_for_shows_its_own_table_and_no_other(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [["demo", "by_sign", "sign", 2, 1, 1, 1, "1 error", "incomplete evidence"]]
    write_table("feasibility", FEASIBILITY)
    for name in ("demo", "other"):
        write_table(name, {"columns": [column.name for column in TABLES["obligations"].columns], "rows": rows})
    assert main(["reproduce", "demo"]) == 0
    shown = capsys.readouterr().out
    assert [name for name in ("demo", "other", "feasibility") if f"results/tables/{name}.json" in shown] == ["demo"]


def test_the_output_of_the_workflow_is_kept(folder: Path) -> None:
    main(["reproduce"])
    assert Path("results/logs/reproduce.log").read_text() == f"{WORKED}\n"


FAILED = f"""1 of 3 steps (33%) done
Error in rule cases:
Logfile results/logs/demo/cases.log:
{"=" * 80}
cases: case 'a' occurs twice; give every case an id of its own
{"=" * 80}

Exiting because a job execution failed.
"""


def test_a_workflow_that_fails_is_told_by_the_log_of_its_job(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_table("feasibility", FEASIBILITY)
    stand_in(FAILED * 2, 1)
    assert main(["reproduce"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        "results/logs/demo/cases.log:\ncases: case 'a' occurs twice; give every case an id of its own\n\n"
        "reproduce: the workflow failed with exit code 1; the reason stands above and in results/logs/reproduce.log\n"
    )


def test_a_workflow_that_never_came_to_its_jobs_is_told_by_its_own_words(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in("StudyError in file common.smk: studies/demo.yaml:3: cases.sead: unknown key\n", 1)
    assert main(["reproduce"]) == 1
    assert "studies/demo.yaml:3: cases.sead: unknown key" in capsys.readouterr().err


@pytest.mark.parametrize(("short", "told"), [(0, False), (1, True)], ids=["room", "none"])
def test_a_workflow_that_fails_for_want_of_room_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, short: int, told: bool
) -> None:
    stand_in(FAILED, 1)
    monkeypatch.setattr(reproduce, "disk_usage", lambda _: SimpleNamespace(free=reproduce.ROOM - short))
    assert main(["reproduce"]) == 1
    said = capsys.readouterr().err
    assert ("; the disk is full that holds results, " in said) is told
    assert said.endswith(": make room and run again\n") is told


def test_a_folder_snakemake_cannot_work_in_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a {b}").mkdir()
    monkeypatch.chdir(folder / "a {b}")
    assert main(["reproduce"]) == 2
    assert "a {b}: Snakemake takes braces for its own; give the folder another name" in capsys.readouterr().err


def test_files_of_a_time_to_come_get_the_present_one_and_the_rest_keep_theirs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, time in (("studies/then.csv", 1e9), ("studies/to_come.csv", 4e9), ("elsewhere.csv", 4e9)):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
        os.utime(name, (time, time))
    assert main(["reproduce"]) == 0
    told = "Given the present time, as theirs was to come: studies/to_come.csv\n"
    assert told in capsys.readouterr().err
    assert Path("studies/then.csv").stat().st_mtime == 1e9
    assert 1e9 < Path("studies/to_come.csv").stat().st_mtime < 4e9
    assert Path("elsewhere.csv").stat().st_mtime == 4e9


def test_two_runs_in_one_folder_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with at_work.alone():
        assert main(["reproduce"]) == 2
    assert capsys.readouterr().err == (
        "reproduce: results: another run is at work here, or what is left of one; "
        f"process {os.getpid()} began it; wait for it, or use another clone\n"
    )
    assert not Path("arguments").exists()
    assert main(["reproduce"]) == 0
