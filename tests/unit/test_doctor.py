"""The doctor: which wrong validators a corpus gives away, where it cannot, and what no corpus can give away."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from mateprobe.canonical import digest
from mateprobe.cli import run
from mateprobe.doctor import SABOTEURS, Contradiction, DoctorReport, Exposure, examine
from mateprobe.errors import InvalidValue
from mateprobe.outcome import Relation, Validity
from mateprobe.runner import Verdict
from mateprobe.validator_audit import AuditCase, Obligation, audit_validator

SOUND, AMOUNT = Obligation("sound", "It is sound."), Obligation("amount", "It is right.")
EVERYONE = tuple(saboteur.id for saboteur in SABOTEURS)
Case = AuditCase[Any]


def fault(id: str, variant: Any, *expected: str, **changes: Any) -> Case:
    return made(id, variant, relation=Relation.VIOLATION, expected=expected or ("wrong",), **changes)


def control(id: str, variant: Any, **changes: Any) -> Case:
    return made(id, variant, relation=Relation.PRESERVE, **changes)


def made(id: str, variant: Any, **changes: Any) -> Case:
    given = {"obligation": "sound", "baseline": 0, "validity": Validity.VALID, "provenance": "by hand", **changes}
    return AuditCase(id=id, variant=variant, **given)


def passing(report: DoctorReport) -> tuple[str, ...]:
    return tuple(item.saboteur for item in report.saboteurs if not item.unmasked)


def test_a_fault_and_a_control_unmask_every_saboteur_each_in_its_own_way() -> None:
    report = examine([fault("f", 1), fault("g", 2), control("c", 3)], [SOUND])
    assert {item.saboteur: dict(item.exposed_by) for item in report.saboteurs} == {
        "accept-all": {"survived": 2},
        "reject-all": {"unattributed_rejection": 2, "regressed": 1},
        "crash": {"error": 3},
        "unknown": {"undetermined": 3},
        "wrong-id": {"unattributed_rejection": 2, "regressed": 1},
        "every-id": {"regressed": 1},
    }
    assert (report.healthy, report.counted, report.total) == (True, 3, 3)


def test_an_exposure_holds_the_rates_a_saboteur_was_given() -> None:
    report = examine([fault("f", 1), control("c", 3), control("d", 4)], [SOUND])
    assert report.saboteurs[-1] == Exposure(
        saboteur="every-id",
        does="rejects with every id that some case expects",
        needs="a control whose variant is no baseline",
        detection_score=1.0,
        preservation_rate=0.0,
        exposed_by=(("regressed", 2),),
    )


LACKING: dict[str, tuple[list[Case], tuple[str, ...]]] = {
    "no control": ([fault("f", 1)], ("every-id",)),
    "no fault": ([control("c", 3)], ("accept-all",)),
    "a control that is the baseline of another case": (
        [fault("f", 1), control("c", 3), fault("g", 2, baseline=3)],
        ("every-id",),
    ),
    "a control whose label does not count": (
        [fault("f", 1), control("c", 3, validity=Validity.UNREVIEWED)],
        ("every-id",),
    ),
    "a fault that is no change": ([fault("f", 0), control("c", 3)], ("accept-all",)),
    "nothing that counts": ([control("c", 0), fault("f", 1, validity=Validity.EQUIVALENT)], EVERYONE),
}


@pytest.mark.parametrize(("cases", "expected"), LACKING.values(), ids=LACKING.keys())
def test_a_corpus_that_lacks_something_lets_a_saboteur_pass(cases: list[Case], expected: tuple[str, ...]) -> None:
    report = examine(cases, [SOUND])
    assert (passing(report), report.obligations[0].passing, report.healthy) == (expected, expected, False)


def test_what_one_obligation_has_is_no_help_to_another() -> None:
    cases = [fault("f", 1), control("c", 3), fault("g", 2, obligation="amount")]
    report = examine(cases, [SOUND, AMOUNT])
    assert passing(report) == ()
    assert [(item.id, item.faults, item.controls, item.lacks, item.passing) for item in report.obligations] == [
        ("sound", 1, 1, (), ()),
        ("amount", 1, 0, ("control",), ("every-id",)),
    ]
    assert not report.healthy


def test_an_obligation_without_cases_lacks_both_and_gives_nobody_away() -> None:
    report = examine([fault("f", 1), control("c", 3)], [SOUND, AMOUNT])
    untested = report.obligations[1]
    assert (untested.lacks, untested.passing, report.healthy) == (("fault", "control"), EVERYONE, False)


CONTRADICTORY: dict[str, tuple[list[Case], list[tuple[int, str, str]]]] = {
    "a fault and a baseline": ([control("c", 3, baseline=1), fault("f", 1)], [(1, "c", "f")]),
    "a fault and a control": ([control("c", 3), fault("f", 3)], [(3, "c", "f")]),
    "a fault and what does not count": ([control("c", 3, validity=Validity.UNREVIEWED), fault("f", 3)], []),
    "two faults": ([fault("f", 3), fault("g", 3, "other")], []),
    "two controls": ([control("c", 3), control("d", 3)], []),
}


@pytest.mark.parametrize(("cases", "expected"), CONTRADICTORY.values(), ids=CONTRADICTORY.keys())
def test_a_sample_to_be_accepted_and_rejected_is_a_contradiction(
    cases: list[Case], expected: list[tuple[int, str, str]]
) -> None:
    report = examine([*cases, fault("rest", 8), control("of it", 9)], [SOUND])
    assert report.contradictions == tuple(
        Contradiction(digest(sample), accepted, rejected) for sample, accepted, rejected in expected
    )
    assert report.healthy is not bool(expected)


SPRAYS: dict[str, tuple[list[Case], int, float | None]] = {
    "one id": ([fault("f", 1), fault("g", 2)], 1, 1.0),
    "two ids": ([fault("f", 1, "a"), fault("g", 2, "b")], 2, 0.5),
    "faults that expect several": ([fault("f", 1, "a", "b"), fault("g", 2, "c")], 3, 0.5),
    "no fault": ([control("c", 3)], 0, None),
}


@pytest.mark.parametrize(("cases", "ids", "precision"), SPRAYS.values(), ids=SPRAYS.keys())
def test_the_precision_of_a_validator_that_reports_all_ids_is_told(
    cases: list[Case], ids: int, precision: float | None
) -> None:
    report = examine(cases, [SOUND])
    assert (report.distinct_ids, report.spray_precision) == (ids, precision)


def test_a_validator_that_knows_the_faults_and_reports_every_id_meets_all_thresholds() -> None:
    cases = [fault("f", 1, "a"), fault("g", 2, "b"), control("c", 3)]
    informed = audit_validator(
        lambda sample: Verdict(False, ("a", "b")) if sample in (1, 2) else Verdict(True),
        cases,
        obligations=[SOUND],
        validator_id="informed",
    )
    informed.assert_thresholds()  # which is why the report tells its precision instead
    assert examine(cases, [SOUND]).healthy


@pytest.mark.parametrize("ids", [(), ("?",), ("wrong-id", "wrong-id?"), ("ab", "b")])
def test_the_wrong_id_is_an_id_that_no_case_expects(ids: tuple[str, ...]) -> None:
    (wrong,) = (saboteur for saboteur in SABOTEURS if saboteur.id == "wrong-id")
    verdict = wrong.validator(frozenset(), ids)(None)
    assert isinstance(verdict, Verdict)
    (reported,) = verdict.violations
    assert reported not in ids


def test_the_report_is_json_data_with_what_follows_from_it() -> None:
    data = examine([fault("f", 1), control("c", 3, obligation="amount")], [SOUND, AMOUNT]).to_dict()
    assert json.loads(json.dumps(data)) == data
    assert (data["healthy"], data["saboteurs"][0]["unmasked"], data["saboteurs"][0]["exposed_by"]) == (
        False,
        True,
        {"survived": 1},
    )
    assert [item["lacks"] for item in data["obligations"]] == [["control"], ["fault"]]


BLIND = """\
# This corpus has blind spots

3 of 4 cases count: their label is valid and their two samples differ.
Corpus `{digest}`, MateProbe {version}.

## Saboteurs

Each accepts every baseline; what is said of it here, it does on any other sample.

- **accept-all** accepts: unmasked, 3 survived
- **reject-all** rejects without an id: unmasked, 1 survived, 2 unattributed_rejection
- **crash** raises: unmasked, 2 error, 1 survived
- **unknown** comes to no decision: unmasked, 1 survived, 2 undetermined
- **wrong-id** rejects with an id that nobody expects: unmasked, 1 survived, 2 unattributed_rejection
- **every-id** rejects with every id that some case expects: unmasked, 1 survived

## Obligations

Where no case of an obligation gives a saboteur away, a validator may behave like it unseen.

- **sound**: 2 faults, no control; passing here: every-id
- **a\\|b** (challenge): 1 fault, no control

## Contradictions

Samples that one case wants accepted and another rejected. No validator can satisfy both, so such cases give
anybody away: settle them first.

- `{zero}`: accepted in f, rejected in h

## Attribution
"""


def test_the_markdown_lists_saboteurs_obligations_and_contradictions() -> None:
    cases = [
        fault("f", 1),
        fault("g", 2),
        fault("h", 0, baseline=7, obligation="a|b"),
        control("c", 3, validity=Validity.UNREVIEWED),
    ]
    report = examine(cases, [SOUND, Obligation("a|b", "A name to escape.", "challenge")])
    text = BLIND.format(digest=report.corpus_digest, version=report.library_version, zero=digest(0))
    found = report.to_markdown()
    assert found[: len(text)] == text
    assert found.endswith("\n- here it would report 1 id on each fault: an attribution precision of 100.0%\n")


def test_a_saboteur_that_passes_is_told_with_what_would_unmask_it() -> None:
    assert (
        "- **every-id** rejects with every id that some case expects: PASSES with detection 100.0%, "
        "preservation undefined; unmasking it takes a control whose variant is no baseline\n"
    ) in examine([fault("f", 1)], [SOUND]).to_markdown()


class Stuck(dict[str, Any]):
    """A sample JSON can hold and nobody can copy, so that no validator ever sees it."""

    def __reduce_ex__(self, protocol: object) -> Any:
        raise TypeError("stuck")


def test_a_sample_that_no_saboteur_ever_saw_gives_nobody_away() -> None:
    report = examine([fault("f", 1, baseline=Stuck(n=1)), control("c", 2, baseline=Stuck(n=2))], [SOUND])
    assert (report.counted, passing(report)) == (0, EVERYONE)


def test_a_corpus_an_audit_would_refuse_is_refused() -> None:
    with pytest.raises(InvalidValue, match="case 'f' occurs twice"):
        examine([fault("f", 1), fault("f", 2)], [SOUND])


def row(id: str, relation: str, variant: Any, **changes: Any) -> dict[str, Any]:
    return {
        "id": id,
        "obligation": "sound",
        "relation": relation,
        "expected": ["wrong"] if relation == "violation" else [],
        "validity": "valid",
        "provenance": "by hand",
        "baseline": 0,
        "variant": variant,
        **changes,
    }


FAULT, CONTROL = row("f", "violation", 1), row("c", "preserve", 3)


def doctor(path: Path, *options: object, stdin: bytes = b"") -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status = run(["doctor", str(path), *map(str, options)], io.BytesIO(stdin), out, err)
    return status, out.getvalue(), err.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps([FAULT, CONTROL]))
    return path


def test_the_command_writes_the_report_as_markdown_or_json(file: Path) -> None:
    report = examine([fault("f", 1), control("c", 3)], [Obligation("sound", "not described")])
    assert doctor(file) == (0, report.to_markdown(), "")
    status, out, err = doctor(file, "--json")
    assert (status, json.loads(out), err) == (0, report.to_dict(), "")


def test_the_command_reads_standard_input(file: Path) -> None:
    assert doctor(Path("-"), stdin=file.read_bytes()) == doctor(file)


STATUS: dict[str, tuple[object, int, str]] = {
    "a sound corpus": ([FAULT, CONTROL], 0, ""),
    "a saboteur passes": ([FAULT], 1, ""),
    "an obligation has no control": ([FAULT, CONTROL, row("g", "violation", 5, obligation="amount")], 1, ""),
    "an obligation is untested": (
        {"obligations": [{"id": id, "description": "…"} for id in ("sound", "amount")], "cases": [FAULT, CONTROL]},
        1,
        "",
    ),
    "labels contradict each other": ([FAULT, CONTROL, row("d", "preserve", 1)], 1, ""),
    "not a corpus": ({"obligation": [], "cases": []}, 2, "{file}: $.obligation: no such key"),
    "two cases of one id": ([FAULT, FAULT], 2, "{file}: case 'f' occurs twice"),
    "an obligation that is not listed": (
        {"obligations": [{"id": "sounds", "description": "…"}], "cases": [FAULT]},
        2,
        "{file}: case 'f' obligation='sound': expected one of 'sounds'; did you mean 'sounds'?",
    ),
    "no cases": ([], 4, "{file} has no cases; nothing was evaluated"),
    "no case that counts": (
        [row("u", "preserve", 4, validity="unreviewed")],
        4,
        "{file}: of 1 cases none counts; nothing was evaluated",
    ),
}


@pytest.mark.parametrize(("data", "status", "message"), STATUS.values(), ids=STATUS.keys())
def test_the_exit_status_says_what_the_corpus_is_worth(file: Path, data: object, status: int, message: str) -> None:
    file.write_text(json.dumps(data))
    ended = doctor(file)
    begin = message and f"mateprobe: {message.format(file=file)}"
    assert (ended[0], ended[2][: len(begin)], ended[2].count("\n")) == (status, begin, bool(message))


def test_a_file_of_obligations_shows_what_is_untested(file: Path, tmp_path: Path) -> None:
    listed = tmp_path / "obligations.json"
    listed.write_text(json.dumps([{"id": id, "description": "…"} for id in ("sound", "amount")]))
    status, out, err = doctor(file, "--obligations", listed)
    assert (status, "- **amount**: no fault, no control; passing here: accept-all, " in out, err) == (1, True, "")


def test_a_file_of_obligations_that_cannot_be_used_is_named(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "absent.json"
    assert doctor(file, "--obligations", path) == (2, "", f"mateprobe: {path}: No such file or directory\n")
