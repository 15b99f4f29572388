"""Studies whose validators are programs: asked in environments of their own, frozen, replayed, compared."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from mateprobe.errors import StudyError
from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.fixes import fix
from mateprobe.pipeline.freeze import keep_answers
from mateprobe.pipeline.golden import answers_of
from mateprobe.pipeline.records import write_records
from mateprobe.pipeline.studies import load_study
from mateprobe.pipeline.table_timelines import version_timeline, version_timeline_each
from mateprobe.records import read_records
from tests.unit.conftest import Bench, Ended, lines, row, study
from tests.unit.packages import only_from, wheel

ADAPTER = """
import tiny


def sign(sample, *, limit=0):
    return tiny.check(sample["n"], limit)
"""
CHECK = "def check(number, limit):\n    return ['sign/NEGATIVE@n'] if number {} limit else []\n"
SCRIPT = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    bad = ["sign/NEGATIVE@n"] if request["sample"]["n"] < 0 else []
    answer = {"accepted": not bad, "complete": True, "violations": bad, "evidence": []}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
"""
WORKER = {"id": "tiny", "worker": "ask:sign", "environment": ["tiny==1.0"]}


@pytest.fixture
def desk(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench with an adapter, a script and an index of four releases; the fourth does not import."""
    for release, source in (("1.0", CHECK.format("<")), ("0.9", CHECK.format("< -1 +")), ("0.1", "import nothing")):
        wheel(tmp_path / "index", "tiny", release, source)
    only_from(tmp_path / "index", tmp_path / "uv", monkeypatch)
    for folder in ("_adapters", "_code", "_defects"):
        Path("studies", folder).mkdir(parents=True)
    Path("studies/_adapters/ask.py").write_text(ADAPTER)
    Path("studies/_code/script.py").write_text(SCRIPT)
    return bench


def locked(bench: Bench, *validators: dict[str, Any], **changes: Any) -> None:
    """Write the study of one fault and one control with these validators, and lock its environments."""
    cases = [row("a"), row("b", variant=2, relation="preserve")]
    bench.write(study(*cases, validators=list(validators), **changes))
    assert main(["lock", "demo"]) == 0
    bench.capsys.readouterr()


def outcomes(validator: str) -> list[str]:
    return [row["outcome"] for row in lines(f"results/demo/outcomes/{validator}.jsonl")]


def judged(bench: Bench, validator: str) -> list[dict[str, Any]]:
    """Run the study up to this validator's observations and return them."""
    assert bench.run("cases").code == 0
    ended = bench.run("observe", "--validator", validator)
    assert ended.code == 0, ended.said
    return lines(f"results/demo/observations/{validator}.jsonl")


def test_a_package_in_its_environment_is_one_more_validator(desk: Bench) -> None:
    locked(desk, WORKER, {**WORKER, "id": "strict", "with": {"limit": 2}}, {"id": "own", "callable": "numbered:sign"})
    desk.judge()
    assert outcomes("tiny") == outcomes("own") == ["detected", "preserved"]
    assert outcomes("strict") == ["baseline_failed", "baseline_failed"]


@pytest.mark.parametrize("program", ["python", sys.executable])
def test_a_command_is_one_more_validator(desk: Bench, program: str) -> None:
    locked(desk, {"id": "script", "command": [program, "studies/_code/script.py"]})
    desk.judge()
    assert outcomes("script") == ["detected", "preserved"]


def test_a_script_runs_with_the_packages_of_its_environment_alone(desk: Bench) -> None:
    source = SCRIPT.replace("import json, sys", "import json, sys, tiny").replace(
        '"evidence": []', '"evidence": [FLAG]'
    )
    Path("studies/_code/script.py").write_text(source.replace("FLAG", 'f"isolated={sys.flags.isolated}"'))
    locked(desk, {"id": "tiny", "command": ["python", "studies/_code/script.py"], "environment": ["tiny==1.0"]})
    assert [row["evidence"] for row in judged(desk, "tiny")] == [["isolated=1"]] * 3


def test_a_package_that_does_not_import_is_an_error_on_every_sample(desk: Bench) -> None:
    locked(desk, {**WORKER, "environment": ["tiny==0.1"]})
    errors = [row["error"] for row in judged(desk, "tiny")]
    assert errors == ["cannot load the adapter: ModuleNotFoundError: No module named 'nothing'"] * 3


def test_a_release_that_is_not_to_be_had_is_an_error_on_every_sample_and_touches_no_other(desk: Bench) -> None:
    locked(desk, WORKER, {**WORKER, "id": "gone", "environment": ["tiny==7"]})
    desk.judge()
    assert [row["error"] for row in lines("results/demo/observations/gone.jsonl")] == [
        "unavailable: the index has no tiny==7"
    ] * 3
    assert outcomes("gone") == ["baseline_failed", "baseline_failed"]
    assert outcomes("tiny") == ["detected", "preserved"]


def test_a_lock_with_a_wrong_hash_is_an_error_on_every_sample(desk: Bench) -> None:
    locked(desk, WORKER)
    [lock] = Path("studies/_locks").iterdir()
    lock.write_text(lock.read_text().partition("sha256:")[0] + f"sha256:{'0' * 64}\n")
    assert {row["error"] for row in judged(desk, "tiny")} == {
        "unavailable: a file of the index has another hash than the lock"
    }


def test_an_adapter_without_the_function_is_an_error_on_every_sample(desk: Bench) -> None:
    locked(desk, {**WORKER, "worker": "ask:sing"})
    assert {row["error"] for row in judged(desk, "tiny")} == {
        "cannot load the adapter: AttributeError: module 'adapter' has no attribute 'sing'"
    }


def test_what_answers_are_made_from_stands_in_the_header(desk: Bench) -> None:
    locked(desk, WORKER)
    judged(desk, "tiny")
    header = json.loads(Path("results/demo/observations/tiny.jsonl").read_text().splitlines()[0])
    [lock] = Path("studies/_locks").iterdir()
    assert list(header["made_from"]) == ["mateprobe/worker.py", "studies/_adapters/ask.py", lock.as_posix()]


@pytest.mark.parametrize("path", ["studies/_adapters/ask.py", "studies/_code/script.py"])
def test_an_edit_of_what_answers_are_made_from_runs_it_again(desk: Bench, path: str) -> None:
    locked(desk, WORKER, {"id": "script", "command": ["python", "studies/_code/script.py"]})
    validator = {"ask": "tiny", "script": "script"}[Path(path).stem]
    judged(desk, validator)
    assert desk.run("observe", "--validator", validator) == Ended(0, "observe: restored\n")
    Path(path).write_text(Path(path).read_text() + "\n")
    assert desk.run("observe", "--validator", validator) == Ended(0, "observe: made")


def freeze(bench: Bench) -> None:
    """Run the study, freeze it, and forget all that was made."""
    judged(bench, "tiny")
    keep_answers(answers_of(load_study(Path("studies/demo.yaml"))))
    bench.capsys.readouterr()
    shutil.rmtree(".cache")


def gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no package be had any more."""
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    monkeypatch.setenv("UV_CACHE_DIR", str(Path("empty").absolute()))


def artifacts() -> dict[str, bytes]:
    """Return what a manifest would hash: the observations and the receipt of their stage."""
    return {path.name: path.read_bytes() for path in Path("results/demo").rglob("*tiny*")}


def test_where_packages_are_not_to_be_had_frozen_observations_give_the_same_bytes(
    desk: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked(desk, WORKER)
    freeze(desk)
    fresh = artifacts()
    gone(monkeypatch)
    ended = desk.run("observe", "--validator", "tiny")
    assert "observe: replayed studies/_frozen/demo/tiny.jsonl: tiny-1.0-" in ended.said
    assert ": the packages cannot be fetched here\n" in ended.said
    assert artifacts() == fresh


def test_without_frozen_observations_nothing_is_said_of_a_package_that_is_not_to_be_had(
    desk: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked(desk, WORKER)
    desk.run("cases")
    gone(monkeypatch)
    ended = desk.run("observe", "--validator", "tiny")
    assert ended.code == 1
    assert (
        "the packages cannot be fetched here, and studies/_frozen/demo/tiny.jsonl cannot stand in for it" in ended.said
    )
    assert not Path("results/demo/observations/tiny.jsonl").exists()


def test_frozen_observations_of_another_adapter_do_not_count(desk: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    locked(desk, WORKER)
    freeze(desk)
    Path("studies/_adapters/ask.py").write_text(ADAPTER + "\n")
    gone(monkeypatch)
    assert desk.run("observe", "--validator", "tiny").code == 1


def test_a_study_that_is_replayed_asks_for_no_package(desk: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    locked(desk, WORKER, replay=True)
    freeze(desk)
    monkeypatch.setattr("mateprobe.pipeline.programs.at_hand", lambda name: pytest.fail("a package was asked for"))
    ended = desk.run("observe", "--validator", "tiny")
    assert ended.said.startswith("observe: replayed studies/_frozen/demo/tiny.jsonl: this study is replayed unless ")


def test_a_fresh_run_asks_the_package_whatever_is_stored_or_frozen(desk: Bench) -> None:
    locked(desk, WORKER, replay=True)
    freeze(desk)
    desk.run("observe", "--validator", "tiny")
    assert desk.run("observe", "--validator", "tiny", "--fresh") == Ended(0, "observe: made")


def test_a_package_that_answers_otherwise_than_frozen_is_named_sample_by_sample(desk: Bench) -> None:
    locked(desk, WORKER)
    freeze(desk)
    path = Path("studies/_frozen/demo/tiny.jsonl")
    header, *rows, _ = path.read_text().splitlines()
    changed = [{**json.loads(rows[0]), "accepted": False, "violations": ["other"]}, *map(json.loads, rows[1:])]
    kept = {key: value for key, value in json.loads(header).items() if key not in ("format", "version")}
    write_records(path, "observations", changed, kept)
    ended = desk.run("observe", "--validator", "tiny")
    assert ended.code == 1
    assert "1 observations differ from the frozen ones" in ended.said
    assert ": frozen rejected ['other'], fresh accepted []" in ended.said


def test_frozen_observations_of_fewer_samples_do_not_stand_in(desk: Bench) -> None:
    locked(desk, WORKER, replay=True)
    freeze(desk)
    content = yaml.safe_load(Path("studies/demo.yaml").read_text())
    content["cases"]["with"]["rows"].append(row("c", variant=-3))
    desk.write(content)
    desk.run("cases")
    ended = desk.run("observe", "--validator", "tiny")
    assert ended.code == 1
    assert "no observation of sample" in ended.said


DEFECT = {
    "id": "limit",
    "issue": "tiny #1",
    "package": "tiny",
    "before": ["tiny==0.9"],
    "after": ["tiny==1.0"],
    "worker": "ask:sign",
    "cluster": "tiny-1",
    "obligation": "sign",
    "label": "-1 is below zero",
    "cases": {
        "trigger": {"baseline": {"n": 1}, "variant": {"n": -1}, "expected": ["sign/NEGATIVE@n"]},
        "control": {"baseline": {"n": 1}, "variant": {"n": 2}},
        "negative": {"baseline": {"n": 1}, "variant": {"n": -5}, "expected": ["sign/NEGATIVE@n"]},
    },
    "recorded": {"before": {"trigger": "survived"}, "after": {"trigger": "detected"}},
}
BEFORE, AFTER = {"id": "before", "release": "before"}, {"id": "after", "release": "after"}


def defects(bench: Bench, *listed: dict[str, Any], validators: tuple[dict[str, Any], ...] = (BEFORE, AFTER)) -> None:
    Path("studies/_defects/d.json").write_text(json.dumps({"defects": list(listed)}))
    bench.write(study(cases={"defects": "_defects/d.json"}, validators=list(validators), tables=["historical"]))


def fixed(bench: Bench) -> Ended:
    """Lock and run a study of defects up to its fixes."""
    assert main(["lock", "demo"]) == 0
    bench.capsys.readouterr()
    bench.judge()
    return bench.run("fixes")


def test_a_defect_is_asked_of_its_two_releases_and_no_others(desk: Bench) -> None:
    recorded = {"before": {"trigger": "detected"}, "after": {"trigger": "unavailable"}}
    withdrawn = {"id": "other", "before": ["tiny==1.0"], "after": ["tiny==7"], "recorded": recorded}
    defects(desk, DEFECT, {**DEFECT, **withdrawn})
    assert fixed(desk) == Ended(0, "fixes: made")
    [first, second] = json.loads(Path("results/demo/fixes.json").read_text())["fixes"]
    assert first["ends"] == {
        "trigger": {"before": "survived", "after": "detected"},
        "control": {"before": "preserved", "after": "preserved"},
        "negative": {"before": "detected", "after": "detected"},
    }
    assert (first["fix_reproduced"], first["before"], first["after"]) == (True, "0.9", "1.0")
    assert second["ends"]["control"] == {"before": "preserved", "after": "unavailable"}
    assert second["fix_reproduced"] is False


def test_an_end_that_was_recorded_otherwise_is_named(desk: Bench) -> None:
    defects(desk, {**DEFECT, "recorded": {"before": {"trigger": "detected"}, "after": {"control": "regressed"}}})
    ended = fixed(desk)
    assert ended.code == 1
    assert "limit:trigger in the release before: recorded detected, found survived" in ended.said
    assert "limit:control in the release after: recorded regressed, found preserved" in ended.said


RIGHT = {"trigger": ("survived", "detected"), "control": ("preserved", "preserved")}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, True),
        ({"trigger": ("error", "detected")}, True),
        ({"trigger": ("regressed", "detected")}, True),
        ({"trigger": ("detected", "detected")}, False),
        ({"trigger": ("baseline_failed", "detected")}, False),
        ({"trigger": ("unavailable", "detected")}, False),
        ({"trigger": ("survived", "preserved")}, False),
        ({"trigger": ("survived", "unattributed_rejection")}, False),
        ({"control": ("regressed", "preserved")}, False),
        ({"control": ("preserved", "regressed")}, False),
    ],
)
def test_a_fix_is_reproduced_if_the_trigger_turns_right_and_the_control_is_preserved_twice(
    change: dict[str, tuple[str, str]], expected: bool
) -> None:
    ends = {**RIGHT, "negative": ("detected", "detected"), **change}
    ended = {
        release: {f"limit:{role}": found[index] for role, found in ends.items()}
        for index, release in enumerate(("before", "after"))
    }
    assert fix({**DEFECT, "recorded": {}}, ended)["fix_reproduced"] is expected


PROBLEMS: dict[str, tuple[Any, str]] = {
    "no worker": ({"worker": "absent:sign"}, "defect 'limit': expected a file studies/_adapters/absent.py, found none"),
    "no obligation": ({"obligation": "sing"}, "defect 'limit': expected one of 'sign'; did you mean 'sign'?"),
    "an option": ({"before": ["--index-url=http://a"]}, "defects.0.before.0: expected pattern"),
    "an address": ({"after": ["tiny @ http://a"]}, "defects.0.after.0: expected pattern"),
    "no control": ({"cases": {"trigger": DEFECT["cases"]["trigger"]}}, "defects.0.cases: expected required"),  # type: ignore[index]
    "no expected ids": (
        {"cases": {**DEFECT["cases"], "trigger": {"baseline": 1, "variant": 2, "expected": []}}},  # type: ignore[dict-item]
        "defects.0.cases.trigger.expected: expected minItems",
    ),
}


@pytest.mark.parametrize(("change", "expected"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_defect_that_cannot_be_used_is_named(desk: Bench, change: dict[str, Any], expected: str) -> None:
    defects(desk, {**DEFECT, **change})
    with pytest.raises(StudyError) as refused:
        load_study(Path("studies/demo.yaml"), locked=False)
    assert expected in str(refused.value)


def test_a_defect_stands_in_its_file_once(desk: Bench) -> None:
    defects(desk, DEFECT, DEFECT)
    with pytest.raises(StudyError, match="defect 'limit' stands 2 times"):
        load_study(Path("studies/demo.yaml"), locked=False)


@pytest.mark.parametrize("validators", [(BEFORE,), (BEFORE, {**AFTER, "release": "before"})], ids=["one", "twice"])
def test_a_study_of_defects_has_a_validator_for_each_release(
    desk: Bench, validators: tuple[dict[str, Any], ...]
) -> None:
    defects(desk, DEFECT, validators=validators)
    with pytest.raises(StudyError, match="expected of validators with a release one before and one after, found"):
        load_study(Path("studies/demo.yaml"), locked=False)


EVERY = {"id": "every", "release": "every"}
TIMELINE = {"package": "tiny", "beside": [], "defects": ["limit"], "releases": ["0.1", "0.9", "1.0", "7"]}


def followed(bench: Bench, *timelines: Any, validators: tuple[dict[str, Any], ...] = (EVERY,)) -> None:
    """Write a study of defects over these timelines."""
    Path("studies/_defects/d.json").write_text(json.dumps({"defects": [DEFECT]}))
    Path("studies/_defects/t.json").write_text(json.dumps({"timelines": list(timelines)}))
    named = {"defects": "_defects/d.json", "timelines": "_defects/t.json"}
    bench.write(study(cases=named, validators=list(validators), tables=["version_timeline"]))


def test_a_defect_is_asked_of_every_release_and_those_not_to_be_had_are_shown(desk: Bench) -> None:
    followed(desk, TIMELINE)
    assert main(["lock", "demo"]) == 0
    desk.capsys.readouterr()
    desk.judge()
    outcomes = read_records(Path("results/demo/outcomes/every.jsonl"), "outcomes")
    assert [row[2:] for row in version_timeline_each(outcomes)] == [
        ["0.1", "unavailable"],
        ["0.9", "bad"],
        ["1.0", "good"],
        ["7", "unavailable"],
    ]
    counted = [1, 1, 0, 2, 4]  # bad, good, not comparable, unavailable, releases
    assert [*version_timeline(outcomes)] == [["tiny", "limit", "tiny #1", None, "0.9", "0.9", "1.0", 0, *counted]]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"defects": ["limits"]}, "timeline of 'tiny': defect 'limits': expected one of 'limit'; did you mean"),
        ({"package": "other"}, "timeline of 'other': defect 'limit': "),
        ({"releases": ["1.0", "1.0rc1"]}, "timelines.0.releases.1: expected pattern"),
        ({"releases": ["1.0", "1.0"]}, "timelines.0.releases: expected uniqueItems"),
        ({"beside": ["--index-url=http://a"]}, "timelines.0.beside.0: expected pattern"),
        ({"range": "all"}, "timelines.0: expected additionalProperties"),
    ],
    ids=["unknown defect", "defect of another", "no final release", "twice", "an option", "unknown key"],
)
def test_a_timeline_that_cannot_be_used_is_named(desk: Bench, change: dict[str, Any], expected: str) -> None:
    followed(desk, {**TIMELINE, **change})
    with pytest.raises(StudyError) as refused:
        load_study(Path("studies/demo.yaml"), locked=False)
    assert expected in str(refused.value)


def test_a_package_has_one_timeline(desk: Bench) -> None:
    followed(desk, TIMELINE, TIMELINE)
    with pytest.raises(StudyError, match="package 'tiny' has 2 timelines; expected one"):
        load_study(Path("studies/demo.yaml"), locked=False)


def test_timelines_are_asked_by_one_validator(desk: Bench) -> None:
    followed(desk, TIMELINE, validators=(BEFORE, AFTER))
    with pytest.raises(StudyError, match="expected of validators with a release one, every, found"):
        load_study(Path("studies/demo.yaml"), locked=False)


def test_a_study_whose_environments_have_no_lock_says_how_to_make_it(desk: Bench) -> None:
    desk.write(study(row(), validators=[WORKER]))
    expected = r"no lock studies/_locks/tiny-1\.0-[0-9a-f]{8}\.txt; run `python -m mateprobe\.pipeline lock demo`"
    with pytest.raises(StudyError, match=expected):
        load_study(Path("studies/demo.yaml"))


@pytest.mark.parametrize(
    ("validator", "expected"),
    [
        (
            {"id": "a", "callable": "numbered:sign", "environment": ["tiny==1.0"]},
            "expected it beside command or worker",
        ),
        ({"id": "a", "worker": "absent:sign"}, r"expected a file studies/_adapters/absent\.py, found none"),
        ({"id": "a", "worker": "../ask:sign"}, "expected pattern"),
        ({"id": "a", "release": "before"}, "expected of validators with a release none without cases.defects"),
        ({"id": "a", "command": []}, "expected minItems 1"),
        ({**WORKER, "environment": ["tiny"]}, "expected pattern"),
    ],
    ids=["an environment for nothing", "no adapter", "an adapter elsewhere", "a release", "no program", "no version"],
)
def test_a_program_that_cannot_be_run_is_named(desk: Bench, validator: dict[str, Any], expected: str) -> None:
    desk.write(study(row(), validators=[validator]))
    with pytest.raises(StudyError, match=expected):
        load_study(Path("studies/demo.yaml"), locked=False)


def test_there_is_nothing_to_freeze_before_a_run(desk: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    locked(desk, WORKER)
    assert main(["freeze", "demo"]) == 2
    assert "found none; run make reproduce" in capsys.readouterr().err
