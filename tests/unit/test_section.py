"""A stage gets its own section of a study, as one line of JSON, and no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from mateprobe.errors import InvalidValue, StudyError
from mateprobe.pipeline.code import code_digest
from mateprobe.pipeline.section import code_folder, parse_section, receipt_path, section_json, stage_modules

Texts = st.text(st.characters(codec="utf-8"), max_size=8)
Values = st.recursive(
    st.none() | st.booleans() | st.integers() | Texts,
    lambda inner: st.lists(inner) | st.dictionaries(Texts, inner),
    max_leaves=8,
)


@given(extra=st.dictionaries(Texts, Values, max_size=4))
def test_a_section_travels_unchanged(extra: dict[str, Any]) -> None:
    section = {**extra, "study": "demo"}
    assert parse_section(section_json(section)) == section


def test_a_section_is_one_line_whatever_the_order_of_its_keys() -> None:
    assert section_json({"study": "demo", "cases": {"b": "x\ny", "a": 1}}) == (
        r'{"cases":{"a":1,"b":"x\ny"},"study":"demo"}'
    )


BAD = {
    "no JSON": ("{", r"--section, column 2: not JSON"),
    "no object": ("[]", r"--section: expected a JSON object with a study id, found \[\]"),
    "no study": ("{}", r"--section: expected a JSON object with a study id, found \{\}"),
    "a number for the study": ('{"study": 1}', r"--section: expected a JSON object with a study id"),
    "a key twice": ('{"study": "a", "study": "b"}', r"--section: key 'study' occurs twice"),
    "a number that is not finite": ('{"study": "a", "seed": NaN}', r"--section: NaN is not JSON"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD.keys())
def test_a_section_that_cannot_be_used_is_refused(text: str, message: str) -> None:
    with pytest.raises(StudyError, match=f"^{message}"):
        parse_section(text)


def test_a_stage_runs_its_own_module_and_those_its_section_names() -> None:
    cases = {"cases": {"generate": "a.b:c", "verify": "d:e", "published": {"rows": "f:g"}}}
    assert stage_modules("cases", cases) == ("mateprobe.pipeline.cases", "a.b", "d", "f")
    assert stage_modules("cases", {"cases": {"evidence": "x"}}) == ("mateprobe.pipeline.cases",)
    assert stage_modules("observe", {"validator": {"callable": "a:b"}}) == ("mateprobe.pipeline.observe", "a")
    assert stage_modules("observe", {"validator": {"contracts": []}}) == ("mateprobe.pipeline.observe",)
    assert stage_modules("summary", {"validators": []}) == ("mateprobe.pipeline.summary",)


def stage_code(stage: str, section: dict[str, Any]) -> str:
    return code_digest(*stage_modules(stage, section), roots=[code_folder(section)])


def test_the_code_of_a_stage_changes_with_what_its_section_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = tmp_path / "studies" / "_code"
    code.mkdir(parents=True)
    (code / "numbered.py").write_text("import helper\n")
    section, before = {"validator": {"callable": "numbered:sign"}}, set()
    for helper in ("", "x = 1\n"):
        (code / "helper.py").write_text(helper)
        before.add(stage_code("observe", section))
    assert len(before) == 2
    before.add(stage_code("observe", {"validator": {"contracts": []}}))
    assert len(before) == 3


def test_code_that_is_not_there_is_named() -> None:
    with pytest.raises(InvalidValue, match=r"^module 'nowhere' is not found in mateprobe, studies/_code"):
        stage_code("observe", {"validator": {"callable": "nowhere:sign"}})


def test_every_stage_leaves_its_receipt_in_the_folder_of_its_study() -> None:
    assert receipt_path("demo", "cases") == Path("results/demo/receipts/cases.json")
    assert receipt_path("demo", "observe", "by_sign") == Path("results/demo/receipts/observe.by_sign.json")
