"""A case says all it must before anything is made of it; each id stands once."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mateprobe.canonical import canonical_bytes, digest
from mateprobe.errors import InvalidValue, MateProbeError
from mateprobe.pipeline.cases import case_line, unique
from tests.unit.conftest import CODE, Bench, Ended, left, lines, row, study

CASES = "results/demo/cases.jsonl"
MADE = [CASES, "results/demo/receipts/cases.json"]


def checked(found: dict[str, Any]) -> dict[str, Any]:
    """Return the case that a row's line holds; the line is canonical, though put together from parts."""
    id, line = case_line(found, ["sign"])
    case: dict[str, Any] = json.loads(line)
    assert (id, line) == (case["id"], canonical_bytes(case))
    return case


def test_a_row_gets_the_identities_of_its_samples() -> None:
    assert checked(row("a", 1, -1)) == {
        **row("a", 1, -1),
        "baseline_sha256": digest({"n": 1}),
        "variant_sha256": digest({"n": -1}),
    }


UNPAIRED: dict[str, tuple[Any, str | None]] = {
    "with a sample": ({"n": 1}, digest({"n": 1})),
    "that never became a sample": (None, None),
}


@pytest.mark.parametrize(("sample", "sha256"), UNPAIRED.values(), ids=UNPAIRED.keys())
def test_a_row_without_a_pair_has_no_variant_and_may_say_where_it_comes_from(sample: Any, sha256: str | None) -> None:
    unpaired = {**row(), "relation": None, "validity": "unreviewed", "expected": [], "baseline": sample}
    unpaired |= {"variant": None, "about": {"status": "ü"}}
    assert checked(unpaired) == {**unpaired, "baseline_sha256": sha256, "variant_sha256": None}


def test_a_pair_with_null_for_a_sample_has_the_identity_of_null() -> None:
    assert checked({**row(), "variant": None})["variant_sha256"] == digest(None)


BAD_ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "a key too many": ({"comment": "x"}, r"case 'a' has the keys .*'comment'.*; expected \['baseline', .*"),
    "an id that is no text": ({"id": 7}, r"case 7 id=7; expected text"),
    "an empty id": ({"id": ""}, r"case '' id=''; expected text"),
    "a group that is no text": ({"group": None}, r"case 'a' group=None; expected text"),
    "an unknown obligation": ({"obligation": "signs"}, r"case 'a' obligation='signs': .*; did you mean 'sign'\?"),
    "an unknown relation": ({"relation": "preserved"}, r"case 'a' relation='preserved': .*; did you mean 'preserve'\?"),
    "an unknown validity": ({"validity": "valide"}, r"case 'a' validity='valide': .*; did you mean 'valid'\?"),
    "a fault that expects nothing": (
        {"expected": []},
        r"case 'a' relation='violation' expected=\[\]; a fault names .*",
    ),
    "a control that expects something": (
        {"relation": "preserve", "expected": ["x"]},
        r"case 'a' relation='preserve' expected=\['x'\]; a fault names ids, a control none",
    ),
    "a bare text for the expected ids": (
        {"expected": "sign"},
        r"case 'a' expected='sign'; expected a list of finding ids",
    ),
    "an expected id that is no text": ({"expected": [1]}, r"case 'a' expected=\[1\]; expected a list of finding ids"),
    "a valid label without provenance": ({"provenance": ""}, r"case 'a' is labelled valid without provenance; say .*"),
    "a number that is not finite": ({"variant": {"n": float("nan")}}, r"case 'a': \$.n=nan is not finite; expected .*"),
    "an infinity inside": ({"baseline": [{"n": [float("inf")]}]}, r"case 'a': \$\[0\].n\[0\]=inf is not finite; .*"),
    "a set": ({"variant": {"n": {1}}}, r"case 'a': \$.n has type set, which JSON cannot hold; .*"),
    "half a character": ({"variant": {"n": "\ud800"}}, r"case 'a': \$.n.*"),
    "half a character in its id": ({"id": "\ud800"}, r"case '\\ud800': \$.id.*"),
}


@pytest.mark.parametrize(("change", "message"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_a_row_that_does_not_say_what_it_must_is_refused_by_name(change: dict[str, Any], message: str) -> None:
    with pytest.raises(MateProbeError, match=f"^{message}$"):
        case_line({**row(), **change}, ["sign"])


def test_a_missing_key_is_shown() -> None:
    incomplete = row()
    del incomplete["obligation"]
    with pytest.raises(InvalidValue, match=r"^case 'a' has the keys \['baseline', .*\]; expected .*'obligation'"):
        case_line(incomplete, ["sign"])


@pytest.mark.parametrize("found", [None, 7, "a", ["a"]], ids=repr)
def test_a_row_that_is_no_object_is_refused(found: Any) -> None:
    with pytest.raises(MateProbeError, match=r"^case .* is a \w+; expected an object with the keys"):
        case_line(found, ["sign"])


def test_an_id_twice_is_refused_wherever_it_stands() -> None:
    with pytest.raises(InvalidValue, match=r"^case 'b' occurs twice; give every case an id of its own"):
        list(unique([("a", b"1"), ("b", b"2"), ("b", b"3")]))


# --- the stage --------------------------------------------------------------------------------------------------


def test_cases_are_written_sorted_under_a_header_that_says_what_they_are(bench: Bench) -> None:
    bench.write(study(row("b"), row("a", relation="preserve", variant=2)))
    assert bench.run("cases") == Ended(0, "cases: made")
    assert [case["id"] for case in lines(CASES)] == ["a", "b"]
    assert json.loads(Path(CASES).read_text().splitlines()[0]) == {"format": "mateprobe.cases", "version": 1}
    assert left() == MADE


def test_the_order_in_which_cases_are_generated_leaves_no_trace(bench: Bench) -> None:
    written = []
    for rows in ([row("b"), row("a")], [row("a"), row("b")]):
        bench.write(study(*rows))
        assert bench.run("cases").code == 0
        written.append(Path(CASES).read_bytes())
    assert written[0] == written[1]


ROW = f"from typing import Any\n{inspect.getsource(row)}\n"
"""For the code of a study, which sees no tests."""


def test_a_seed_reaches_the_generator(bench: Bench) -> None:
    content = study()
    content["cases"] = {"generate": "numbered:cases", "seed": 7}
    bench.write(content, code=f"{ROW}def cases(*, seed): yield row(f's{{seed}}')\n")
    assert bench.run("cases").code == 0
    assert [case["id"] for case in lines(CASES)] == ["s7"]


GENERATED: dict[str, tuple[str, str]] = {
    "a case twice": ("[row(), row('b'), row()]", "cases: case 'a' occurs twice; give every case an id of its own\n"),
    "a number that is not finite": (
        "[row('b', float('-inf'))]",
        "cases: case 'b': $.baseline.n=-inf is not finite; expected a number JSON can hold\n",
    ),
    "no cases": ("[]", "cases: study 'demo': its cases are none; a study without cases proves nothing\n"),
    "a generator that is none": (
        "7",
        "cases: cases.generate='numbered:cases' with []: TypeError: 'int' object is not iterable (own_code.py:LINE)\n",
    ),
    "a generator that fails at once": (
        "1 / 0",
        "cases: cases.generate='numbered:cases' with []: ZeroDivisionError: division by zero (numbered.py:LINE)\n",
    ),
    "a generator that fails later": (
        "(1 / (n - 5) and row(str(n)) for n in range(9))",
        "cases: cases.generate='numbered:cases' with []: ZeroDivisionError: division by zero (numbered.py:LINE)\n",
    ),
}


@pytest.mark.parametrize(("rows", "message"), GENERATED.values(), ids=GENERATED.keys())
def test_cases_that_cannot_be_used_end_the_stage_and_leave_nothing(bench: Bench, rows: str, message: str) -> None:
    content = study()
    content["cases"] = {"generate": "numbered:cases"}
    bench.write(content, code=f"{ROW}def cases(): return {rows}\ndef sign(_): ...\n")
    ended = bench.run("cases")
    assert (ended.code, re.sub(r"py:\d+", "py:LINE", ended.said)) == (2, message)
    assert left() == []


def test_arguments_the_generator_does_not_take_are_named(bench: Bench) -> None:
    content = study()
    content["cases"]["with"]["number"] = 2
    bench.write(content)
    ended = bench.run("cases")
    assert (ended.code, left()) == (2, [])
    assert ended.said.startswith("cases: cases.generate='numbered:cases' with ['number', 'rows']: ")
    assert "unexpected keyword argument 'number'" in ended.said


def test_a_failed_stage_leaves_the_cases_of_before(bench: Bench) -> None:
    bench.write(study(row("a")))
    assert bench.run("cases").code == 0
    before = {path: Path(path).read_bytes() for path in left()}
    bench.write(study(row("a"), row("a")))
    assert bench.run("cases").code == 2
    assert {path: Path(path).read_bytes() for path in left()} == before


# --- an oracle, a published corpus ------------------------------------------------------------------------------

ORACLE = """
def verify(row):
    assert row["variant"]["n"] < 0, "no fault"
def published(row):
    return [row["id"], row["variant"]["n"]]
"""


def test_an_oracle_is_asked_about_every_case_before_any_validator(bench: Bench) -> None:
    content = study(row("a"), row("b", variant=3))
    content["cases"]["verify"] = "numbered:verify"
    bench.write(content, CODE + ORACLE)
    said = "cases: case 'b': refused by numbered:verify: AssertionError: no fault (numbered.py:22)\n"
    assert bench.run("cases") == Ended(2, said)
    assert left() == []


PINS: dict[str, tuple[Callable[[str], str], int]] = {
    "the bytes that were published": (lambda sha256: sha256, 0),
    "others": (lambda sha256: sha256[::-1], 2),
}


@pytest.mark.parametrize(("pin", "code"), PINS.values(), ids=PINS.keys())
def test_cases_with_a_published_file_equal_it_byte_for_byte(bench: Bench, pin: Callable[[str], str], code: int) -> None:
    sha256 = hashlib.sha256(b'[\n  [\n    "a",\n    -1\n  ]\n]\n').hexdigest()
    content = study(row("a"))
    content["cases"]["published"] = {"rows": "numbered:published", "sha256": pin(sha256)}
    bench.write(content, CODE + ORACLE)
    ended = bench.run("cases")
    assert ended.code == code
    if code:
        message = f"cases: cases as published JSON: expected sha256 {pin(sha256)}, found {sha256}\n"
        assert (ended.said, left()) == (message, [])


# --- a frozen corpus --------------------------------------------------------------------------------------------

MEMBER = "results/evidence/corpus.json"


def frozen(**changes: Any) -> dict[str, Any]:
    """Return a case as published: a target in place of an id, no obligation."""
    case = {key: value for key, value in row(**changes).items() if key != "obligation"}
    fault = case["relation"] == "violation"
    target = {"rule_id": "sign", "code": "NEGATIVE", "scope": "n"}
    return {**case, "expected": [target] * fault}


def write_frozen(bench: Bench, text: str, **controls: str) -> None:
    bench.write(study(cases={"evidence": "corpus.json", "controls": controls}))
    Path(MEMBER).parent.mkdir(parents=True)
    Path(MEMBER).write_text(text)


@pytest.mark.parametrize(
    "wrap", [lambda cases: cases, lambda cases: {"seed": 1, "cases": cases}], ids=["list", "object"]
)
def test_a_frozen_corpus_becomes_cases(bench: Bench, wrap: Callable[[Any], Any]) -> None:
    corpus = [frozen(), frozen(id="c", relation="preserve", family="spaces", variant=2)]
    write_frozen(bench, json.dumps(wrap(corpus)), spaces="sign")
    assert bench.run("cases").code == 0
    expected = [row(), row("c", relation="preserve", family="spaces", variant=2)]
    assert lines(CASES) == [checked(case) for case in expected]


FROZEN: dict[str, tuple[str, str]] = {
    "no JSON": ("[{]", rf"cases: {MEMBER}, column 3: not JSON: .*"),
    "a key twice": ('[{"id": "a", "id": "b"}]', rf"cases: {MEMBER}: key 'id' occurs twice in one object; keep one"),
    "a number that is not finite": ('[{"id": "a", "baseline": NaN}]', rf"cases: {MEMBER}: NaN is not JSON; .*"),
    "a case twice": (json.dumps([frozen(), frozen()]), r"cases: case 'a' occurs twice; .*"),
    "a control nobody placed": (
        json.dumps([frozen(relation="preserve", family="spacing")]),
        r"cases: case 'a' obligation=None: expected one of 'sign'.*",
    ),
    "a case without its keys": (
        '[{"id": "a"}]',
        rf"cases: {MEMBER}: cases\[0\]: expected a published case, found {{'id': 'a'}} \(KeyError: 'expected'\)",
    ),
    "a case that is none": ("[7]", rf"cases: {MEMBER}: cases\[0\]: expected a published case, found 7 .*"),
    "neither list nor cases": (
        '{"seed": 1}',
        rf"cases: {MEMBER}: expected a list of cases, alone or under the key cases, found neither",
    ),
}


@pytest.mark.parametrize(("text", "message"), FROZEN.values(), ids=FROZEN.keys())
def test_a_frozen_corpus_that_cannot_be_used_is_named(bench: Bench, text: str, message: str) -> None:
    write_frozen(bench, text)
    ended = bench.run("cases")
    assert (ended.code, left()) == (2, [MEMBER])
    assert_matches(ended.said, message)


def assert_matches(said: str, message: str) -> None:
    assert re.fullmatch(message, said.removesuffix("\n")), said


def test_a_frozen_corpus_that_is_not_there_is_named(bench: Bench) -> None:
    bench.write(study(cases={"evidence": "corpus.json"}))
    assert bench.run("cases") == Ended(
        2, f"cases: cases: input 'evidence': no file {MEMBER}; run the stage that makes it\n"
    )
    assert left() == []
