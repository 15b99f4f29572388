"""Canonical JSON on anything: one text, one digest, and sameness that is equality of texts."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

from mateprobe import InvalidValue
from mateprobe.canonical import FrozenDict, canonical, canonical_bytes, digest, plain, same
from tests.property import objects


def reference(value: Any) -> str:
    """The text the standard library gives."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def identical(left: Any, right: Any) -> bool:
    """Tell whether two JSON values are the same, looked at part by part."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(identical(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(identical, left, right))
    return repr(left) == repr(right)


def tupled(value: Any) -> Any:
    """Return ``value`` in the other forms that mean the same: tuples, read-only dicts, keys in reverse."""
    if isinstance(value, dict):
        return FrozenDict(reversed([(key, plain(tupled(item))) for key, item in value.items()]))
    return tuple(map(tupled, value)) if isinstance(value, list) else value


@given(objects.values)
def test_the_text_is_that_of_the_standard_library(value: Any) -> None:
    assert canonical(value) == reference(value)


@given(objects.values)
def test_the_text_read_back_is_the_value(value: Any) -> None:
    assert identical(json.loads(canonical(value)), value)
    assert identical(plain(value), value)


@given(objects.values)
def test_the_digest_is_that_of_the_text(value: Any) -> None:
    assert digest(value) == hashlib.sha256(reference(value).encode()).hexdigest()
    assert canonical_bytes(value).decode() == canonical(value)


@given(objects.values, objects.values)
def test_values_are_the_same_exactly_when_their_texts_are(left: Any, right: Any) -> None:
    assert same(left, right) == identical(left, right) == (canonical(left) == canonical(right))
    assert same(left, right) == same(right, left) == (digest(left) == digest(right))


@given(objects.scalars, objects.scalars)
def test_scalars_are_the_same_exactly_when_their_types_and_values_are(left: Any, right: Any) -> None:
    assert same(left, right) == identical(left, right)


@given(objects.values)
def test_forms_that_mean_the_same_are_the_same(value: Any) -> None:
    assert same(tupled(value), value)
    assert digest(tupled(value)) == digest(value)


@given(objects.values)
def test_plain_of_plain_is_plain_and_nobody_is_changed(value: Any) -> None:
    before = copy.deepcopy(value)
    assert identical(plain(plain(value)), plain(value))
    assert identical(value, before)


@given(objects.everything)
def test_a_dataclass_is_an_object_of_its_fields(value: Any) -> None:
    assert canonical(value) == reference(json.loads(json.dumps(asdict(value))))


@given(objects.everything)
def test_everything_comes_back_from_copies_and_pickles_the_same(value: Any) -> None:
    for carried in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):  # noqa: S301
        assert type(carried) is type(value)
        assert carried == value
        assert canonical(carried) == canonical(value)


@given(objects.everything.filter(lambda value: type(value).__name__ != "AuditCase"))  # whose samples may be lists
def test_everything_has_the_hash_of_its_copies(value: Any) -> None:
    assert hash(pickle.loads(pickle.dumps(value))) == hash(value)  # noqa: S301
    assert {value: 1}[copy.deepcopy(value)] == 1


@given(
    st.dictionaries(st.integers(-3, 3) | st.sampled_from(["-1", "0", "1", "2"]) | st.none(), st.integers(), min_size=1)
)
def test_a_mapping_is_refused_exactly_when_two_keys_share_a_text(value: dict[Any, int]) -> None:
    texts = [str(key) for key in value]
    if len(set(texts)) == len(texts):
        assert canonical(value) == reference({str(key): item for key, item in value.items()})
    else:
        with pytest.raises(InvalidValue, match="both"):
            canonical(value)


@given(st.lists(st.text(st.characters(exclude_categories=[]), max_size=3), max_size=3))
def test_bytes_are_refused_exactly_where_a_surrogate_is_alone(texts: list[str]) -> None:
    alone = [index for index, text in enumerate(texts) if any("\ud800" <= character <= "\udfff" for character in text)]
    if alone:
        with pytest.raises(InvalidValue, match=rf"\$\[{alone[0]}\] has a lone surrogate"):
            canonical_bytes(texts)
    else:
        assert canonical_bytes(texts) == reference(texts).encode()


@given(objects.values, st.sampled_from([float("nan"), float("inf"), {1}, b"x"]), st.data())
def test_what_json_cannot_hold_is_found_wherever_it_is(value: Any, unfit: Any, data: st.DataObject) -> None:
    places = list(containers(value, "$"))
    assume(places)
    path, container = data.draw(st.sampled_from(places))
    if isinstance(container, dict):
        container["unfit"] = unfit
        path += ".unfit"
    else:
        container.append(unfit)
        path += f"[{len(container) - 1}]"
    with pytest.raises((TypeError, ValueError)) as caught:
        digest(value)
    assert str(caught.value).startswith(path)


def containers(value: Any, path: str) -> Any:
    """Yield every list and dict in ``value`` with its path."""
    if isinstance(value, dict):
        yield path, value
        for key, item in value.items():
            yield from containers(item, f"{path}.{key}")
    elif isinstance(value, list):
        yield path, value
        for index, item in enumerate(value):
            yield from containers(item, f"{path}[{index}]")
