"""A validator is asked once about every distinct sample; what it says is kept, however it says it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mateprobe import Context, Document, Surface, evaluate
from mateprobe.canonical import digest, plain, shard_of
from mateprobe.pipeline.case_lines import sides_of
from mateprobe.pipeline.observe import _ask, distinct_samples
from mateprobe.rules import RequiredFact
from mateprobe.runner import Verdict
from tests.unit.conftest import CODE, Bench, Ended, left, lines, row, study

CASES = "results/demo/cases.jsonl"
OBSERVATIONS = "results/demo/observations/by_sign.jsonl"
RECEIPTS = ["results/demo/receipts/cases.json", "results/demo/receipts/observe.by_sign.json"]


def observe(bench: Bench, content: dict[str, Any], code: str = CODE) -> list[dict[str, Any]]:
    bench.write(content, code)
    assert bench.run("cases").code == 0
    assert bench.run("observe", "--validator", "by_sign") == Ended(0, "observe: made")
    return lines(OBSERVATIONS)


def test_samples_come_in_order_of_appearance_each_once() -> None:
    a, b, c = (name * 32 for name in ("aa", "bb", "cc"))
    cases: list[dict[str, Any]] = [
        {"baseline": 1, "variant": 2, "baseline_sha256": a, "variant_sha256": b},
        {"baseline": 2, "variant": 1, "baseline_sha256": b, "variant_sha256": a},
        {"baseline": 1, "variant": 3, "baseline_sha256": a, "variant_sha256": c},
        {"baseline": None, "variant": None, "baseline_sha256": None, "variant_sha256": None},
    ]
    assert list(distinct_samples(map(sides_of, cases))) == [(a, b"1"), (b, b"2"), (c, b"3")]


SAID: dict[str, tuple[Any, dict[str, Any]]] = {
    "an acceptance": (1, {"accepted": True, "complete": True, "violations": [], "evidence": [], "error": None}),
    "a rejection": (
        -2,
        {"accepted": False, "complete": True, "violations": ["sign/NEGATIVE@n"], "evidence": ["n=-2"], "error": None},
    ),
    "a verdict that is not complete": (
        0.5,
        {"accepted": False, "complete": False, "violations": [], "evidence": [], "error": None},
    ),
    "a failure": (
        13,
        {"accepted": False, "complete": False, "violations": [], "error": "ValueError: thirteen"},
    ),
}


@pytest.mark.parametrize(("number", "said"), SAID.values(), ids=SAID.keys())
def test_what_a_validator_says_is_kept(bench: Bench, number: Any, said: dict[str, Any]) -> None:
    _, observation = observe(bench, study(row(baseline=2, variant=number)))
    assert observation == {"sample": digest({"n": number}), **said}


NO_VERDICTS = {
    "nothing": "None",
    "a truth": "True",
    "a verdict that contradicts itself": "Verdict(True, ('x',))",
    "an end of the process": "exit(3)",
    "an error without words": "(_ for _ in ()).throw(KeyError)",
    "an error no file can hold": "(_ for _ in ()).throw(ValueError('\\ud800'))",
}


@pytest.mark.parametrize("answer", NO_VERDICTS.values(), ids=NO_VERDICTS.keys())
def test_an_answer_that_is_no_verdict_is_an_error_of_that_sample_alone(bench: Bench, answer: str) -> None:
    code = f"{CODE}\ndef ask(sample): return sign(sample) if sample['n'] > 0 else {answer}\n"
    accepted, failed = observe(bench, study(row(), validators=[{"id": "by_sign", "callable": "numbered:ask"}]), code)
    assert (accepted["accepted"], accepted["error"]) == (True, None)
    assert (failed["accepted"], failed["complete"]) == (False, False)
    assert failed["error"]


def test_a_verdict_no_file_can_hold_is_spelled_out(bench: Bench) -> None:
    code = f"{CODE}\ndef ask(sample): return Verdict(False, ('a/\\ud800',), evidence=('\\udfff',))\n"
    said, _ = observe(bench, study(row(), validators=[{"id": "by_sign", "callable": "numbered:ask"}]), code)
    assert (said["violations"], said["evidence"], said["error"]) == (["a/\\ud800"], ["\\udfff"], None)


REMEMBERS = """
asked = []
def ask(sample):
    asked.append(sample)
    if sample['n'] == -2:
        return Verdict(False, ('x',), evidence=(str([kept['n'] for kept in asked]),))
    return Verdict(True)
"""


@pytest.mark.parametrize(("rejudge", "asked"), [(0, [1, -1, -2]), (2, [1, 1, -1, -1, -2])])
def test_each_sample_is_judged_once_and_the_first_ones_twice(bench: Bench, rejudge: int, asked: list[int]) -> None:
    validators = [{"id": "by_sign", "callable": "numbered:ask", "rejudge": rejudge}]
    content = study(row("a", 1, -1), row("b", 1, -2), row("c", -2, 1), validators=validators)
    found = observe(bench, content, CODE + REMEMBERS)
    assert [said["sample"] for said in found] == [digest({"n": n}) for n in (1, -1, -2)]
    assert found[-1]["evidence"] == [str(asked)]


def test_a_validator_that_changes_its_mind_has_no_verdict(bench: Bench) -> None:
    code = f"{CODE}\nsaid = []\ndef ask(sample):\n    said.append(0)\n    return Verdict(len(said) != 2)\n"
    first, second = observe(bench, study(row(), validators=[{"id": "by_sign", "callable": "numbered:ask"}]), code)
    assert (first["error"], first["accepted"]) == ("not deterministic: accepted at first, then rejected []", False)
    assert (second["error"], second["accepted"]) == (None, True)


def test_a_validator_of_ours_that_changes_its_sample_is_told_of() -> None:
    def ask(sample: dict[str, int]) -> Verdict:
        sample["n"] = abs(sample["n"])
        return Verdict(True)

    kept, changed = (json.loads(_ask(ask, digest({"n": n}), {"n": n})) for n in (1, -1))
    assert (kept.get("changed_sample", False), changed.get("changed_sample", False)) == (False, True)
    assert (kept["accepted"], changed["accepted"]) == (True, True)


def test_a_validator_gets_the_arguments_of_its_study(bench: Bench) -> None:
    validators = [{"id": "by_sign", "callable": "numbered:sign", "with": {"zero": False}}]
    _, zero = observe(bench, study(row(variant=0), validators=validators))
    assert zero["violations"] == ["sign/NEGATIVE@n"]


def test_arguments_a_validator_does_not_take_are_errors_not_verdicts(bench: Bench) -> None:
    observed = observe(
        bench, study(row(), validators=[{"id": "by_sign", "callable": "numbered:sign", "with": {"a": 1}}])
    )
    assert [found["error"] for found in observed] == ["TypeError: sign() got an unexpected keyword argument 'a'"] * 2


# --- contracts --------------------------------------------------------------------------------------------------

PROFILE = """
contracts: [{type: RequiredFact, rule_id: fact, key: status, expected: pending}]
policy: {block_undetermined: false}
"""


def document(status: str) -> dict[str, Any]:
    surface = {"id": "body", "text": "", "state_ref": "current", "claims": []}
    context = {"states": {"current": {"status": status}}, "closed_premises": [], "history": []}
    return {"document": {"surfaces": [surface]}, "context": context}


def test_a_contract_report_is_kept_whole(bench: Bench) -> None:
    case = {**row(), "baseline": document("pending"), "variant": document("sold")}
    content = study(case, validators=[{"id": "by_sign", "contracts": "_p.yaml"}])
    Path("studies").mkdir()
    Path("studies/_p.yaml").write_text(PROFILE)
    met, broken = observe(bench, content)
    sold = Document((Surface("body", "", "current"),)), Context({"current": {"status": "sold"}})
    report = evaluate(*sold, [RequiredFact("fact", "status", "pending")])
    assert (met["accepted"], met["violations"]) == (True, [])
    assert (broken["accepted"], broken["violations"]) == (False, ["fact/REQUIRED_FACT@state:current:status"])
    assert broken["checks"] == plain(report.checks)
    header = json.loads(Path(OBSERVATIONS).read_text().splitlines()[0])
    assert header == {
        "format": "mateprobe.observations",
        "version": 1,
        "validator": "by_sign",
        "itemised": True,
        "contracts_digest": report.contracts_digest,
        "policy": {"block_heuristics": True, "block_undetermined": False},
    }


def test_a_sample_contracts_cannot_read_is_named(bench: Bench) -> None:
    bench.write(study(row("odd"), validators=[{"id": "by_sign", "contracts": "_p.yaml"}]))
    Path("studies/_p.yaml").write_text(PROFILE)
    assert bench.run("cases").code == 0
    ended = bench.run("observe", "--validator", "by_sign")
    assert (ended.code, left()) == (2, [CASES, RECEIPTS[0]])
    assert_matches(ended.said, f"observe: sample {digest({'n': 1})}: .*document.*")


# --- shards -----------------------------------------------------------------------------------------------------


def test_shards_share_out_the_samples_by_their_digest(bench: Bench) -> None:
    bench.write(study(*(row(f"r{n}", n, -n) for n in range(1, 9)), shards=3))
    assert bench.run("cases").code == 0
    seen = []
    for shard in range(3):
        assert bench.run("observe", "--validator", "by_sign", "--shard", str(shard)).code == 0
        samples = [found["sample"] for found in lines(f"results/demo/observations/by_sign.{shard:04d}.jsonl")]
        assert {shard_of(sample, 3) for sample in samples} == {shard}
        seen += samples
    assert sorted(seen) == sorted(digest({"n": sign * n}) for n in range(1, 9) for sign in (1, -1))


@pytest.mark.parametrize("shard", ["1", "-1"])
def test_a_shard_the_study_does_not_have_is_refused(bench: Bench, shard: str) -> None:
    bench.write(study(row()))
    assert bench.run("observe", "--validator", "by_sign", "--shard", shard) == Ended(
        2, f"observe: --shard={shard}: study 'demo' has 1 shards; expected 0 to 0\n"
    )


# --- bad input --------------------------------------------------------------------------------------------------


def spoil(line: int, text: str) -> None:
    """Put a text in place of a line of the cases."""
    stored = Path(CASES).read_text().splitlines(keepends=True)
    Path(CASES).write_text("".join([*stored[: line - 1], text, *stored[line:]]))


REMEDY = "it was cut short or edited: remove it and make it again\n"
SPOILT: dict[str, tuple[int, str, str]] = {
    "a line that is no JSON": (3, "{]\n", f"{CASES}, line 3, column 2: not JSON: .*; {REMEDY}"),
    "a line that is no object": (3, "[]\n", rf"{CASES}, line 3: expected a JSON object, found '\[\]'; {REMEDY}"),
    "a number that is not finite": (3, '{"id": NaN}\n', f"{CASES}, line 3: NaN is not JSON; .*; {REMEDY}"),
    "no footer": (4, "", f"{CASES}, line 3: expected the closing line .*; {REMEDY}"),
    "another kind of file": (
        1,
        '{"format":"mateprobe.outcomes","version":1}\n',
        f"{CASES}, line 1: expected the header .*",
    ),
    "a newer version": (
        1,
        '{"format":"mateprobe.cases","version":2}\n',
        f"{CASES}, line 1: expected version 1 .*, found 2.*",
    ),
    "nothing": (1, "", f"{CASES}, line 1: expected the header .*"),
}


@pytest.mark.parametrize(("line", "text", "message"), SPOILT.values(), ids=SPOILT.keys())
def test_cases_that_are_spoilt_are_refused_with_file_and_line(bench: Bench, line: int, text: str, message: str) -> None:
    bench.write(study(row("a"), row("b")))
    assert bench.run("cases").code == 0
    spoil(line, text)
    ended = bench.run("observe", "--validator", "by_sign")
    assert ended.code == 2
    assert_matches(ended.said, f"observe: {message}")
    assert left() == [CASES, RECEIPTS[0]]


def assert_matches(said: str, message: str) -> None:
    assert re.fullmatch(message.removesuffix("\n"), said.removesuffix("\n")), said


def test_an_edited_case_is_noticed_at_the_end_and_nothing_is_kept(bench: Bench) -> None:
    bench.write(study(row("a"), row("b")))
    assert bench.run("cases").code == 0
    spoil(3, Path(CASES).read_text().splitlines(keepends=True)[1])  # the same case again
    ended = bench.run("observe", "--validator", "by_sign")
    assert ended.code == 2
    assert_matches(
        ended.said,
        f"observe: {CASES}, line 4: expected 2 records with sha256 '.*' before it, found 2 with .*; {REMEDY}",
    )
    assert left() == [CASES, RECEIPTS[0]]


def test_cases_that_are_not_there_are_named(bench: Bench) -> None:
    bench.write(study(row()))
    assert bench.run("observe", "--validator", "by_sign") == Ended(
        2, f"observe: observe: input 'cases': no file {CASES}; run the stage that makes it\n"
    )


def test_a_validator_that_is_not_in_the_study_is_named(bench: Bench) -> None:
    bench.write(study(row()))
    assert bench.run("observe", "--validator", "by_sing") == Ended(
        2, "observe: studies/demo.yaml: validator 'by_sing': expected one of 'by_sign'; did you mean 'by_sign'?\n"
    )


PROFILES = {
    "an unknown rule": ("{type: RequiredFakt, rule_id: a}", "did you mean 'RequiredFact'"),
    "a bad regex": ("{type: ForbiddenPattern, rule_id: a, patterns: ['(x'], surface_ids: [b]}", r"\(x"),
    "a number that is not finite": ("{type: RequiredFact, rule_id: a, key: b, expected: .nan}", r":1: '.nan'"),
}


@pytest.mark.parametrize(("rule", "message"), PROFILES.values(), ids=PROFILES.keys())
def test_a_profile_that_cannot_be_used_is_refused_as_unusable_input(bench: Bench, rule: str, message: str) -> None:
    bench.write(study(row(), validators=[{"id": "by_sign", "contracts": "_p.yaml"}]))
    Path("studies/_p.yaml").write_text(f"contracts: [{rule}]\n")
    ended = bench.run("observe", "--validator", "by_sign")
    assert (ended.code, left()) == (2, [])
    assert_matches(
        ended.said, rf"observe: studies/demo.yaml:\d+: validators\[0\].contracts: studies/_p.yaml.*{message}.*"
    )
