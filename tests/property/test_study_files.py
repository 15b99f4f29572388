"""Whatever stands in a study file, it is a study or is refused in lines that name the file: nothing else happens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from mateprobe.errors import StudyError
from mateprobe.pipeline.studies import load_studies
from mateprobe.pipeline.study_problems import problems_of
from mateprobe.pipeline.yaml_file import read_yaml
from tests.unit.test_broken_studies import PROFILE, STUDY

BASE = yaml.safe_load(STUDY)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["", "..", "/", "a" * 5000, "mine:ask", "\0", "own", "_cases/demo.csv", "results/x", "$ref"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)  # fmt: skip


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in the study."""
    yield path
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


PLACES = [path for path in places(BASE) if path]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies")
    for name, text in {"_cases/demo.csv": "id\n", "_code/mine.py": "", "_profiles/p.yaml": PROFILE}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def replaced(node: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return the study with another value in one place; a place that is gone is left alone."""
    if not path:
        return value
    step, *rest = path
    if isinstance(node, dict):
        return {**node, step: replaced(node.get(step), tuple(rest), value)}
    if isinstance(node, list):
        return [replaced(item, tuple(rest), value) if index == step else item for index, item in enumerate(node)]
    return node


@st.composite
def studies(draw: st.DrawFn) -> Any:
    """Return the study with other values in some places, and keys too many in others."""
    study = BASE
    for place in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=3)):
        study = replaced(study, draw(st.sampled_from([place, (*place, "extra")])), draw(JUNK))
    return study


@settings(deadline=None)
@given(study=studies() | JUNK)
def test_a_study_is_one_or_is_refused_with_its_place(folder: Path, study: Any) -> None:
    path = folder / "demo.yaml"
    path.write_text(yaml.safe_dump(study))
    try:
        assert list(load_studies(folder)) == ["demo"]
    except StudyError as refusal:
        for line in str(refusal).splitlines():
            assert line.startswith(f"{path}:"), line
    else:
        assert problems_of(read_yaml(path)) == []


@settings(deadline=None)
@given(data=st.binary(max_size=40) | st.text(alphabet="ab:-[]{},\n \t#&*!|>'\"%@`?0", max_size=40).map(str.encode))
def test_any_bytes_at_all_are_a_file_that_is_read_or_refused(folder: Path, data: bytes) -> None:
    path = folder / "demo.yaml"
    path.write_bytes(data)
    with pytest.raises(StudyError) as refusal:
        load_studies(folder)
    assert str(refusal.value).startswith(f"{path}:")
