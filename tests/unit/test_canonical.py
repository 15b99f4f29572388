"""Canonical JSON: one text a value, one digest a text, and a message with a path for what JSON cannot hold."""

from __future__ import annotations

import copy
import json
import pickle
from collections import UserDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from mateprobe.canonical import (
    FrozenDict,
    _encoder,
    canonical,
    canonical_bytes,
    digest,
    is_plain,
    plain,
    plain_bytes,
    same,
    scalar,
    shard_of,
)
from mateprobe.errors import InvalidType, InvalidValue


class Word(StrEnum):
    YES = "yes"


class Number(IntEnum):
    ONE = 1


class Thing(Enum):
    PAIR = ("a", 1)


class Odd(Enum):
    HALF = "\ud800"


class Text(str):
    __slots__ = ()


class Masked(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "***"


class Whole(int):
    def __int__(self) -> int:
        return 0


class Real(float):
    def __float__(self) -> float:
        return 0.0


class Pair(NamedTuple):
    left: int
    right: int


@dataclass(frozen=True)
class Inner:
    z: Any = None


@dataclass
class Outer:
    second: int
    first: Any = Inner()


TEXTS: dict[str, tuple[Any, str]] = {
    "true": (True, "true"),
    "an int": (1, "1"),
    "a float": (1.0, "1.0"),
    "a negative zero": (-0.0, "-0.0"),
    "a large float": (1e22, "1e+22"),
    "a large int": (10**30, "1" + 30 * "0"),
    "null": (None, "null"),
    "keys sorted by code point, not by length or case": ({"b": 1, "B": 2, "aa": 3, "é": 4, "a": 5},
                                                           '{"B":2,"a":5,"aa":3,"b":1,"é":4}'),
    "no spaces": ([1, {"a": [2, 3]}], '[1,{"a":[2,3]}]'),
    "text beyond ASCII kept, controls escaped": ("é漢😀\u2028\"\\\n\x00", '"é漢😀\u2028\\"\\\\\\n\\u0000"'),
    "a tuple as an array": ((1, (2,)), "[1,[2]]"),
    "a named tuple as an array": (Pair(1, 2), "[1,2]"),
    "an enum as its value": ([Word.YES, Number.ONE, Thing.PAIR], '["yes",1,["a",1]]'),
    "subclasses as what they hold": ([Text("t"), Masked("m"), Whole(7), Real(0.5)], '["t","m",7,0.5]'),
    "other mappings": ([MappingProxyType({"a": 1}), UserDict(b=2), FrozenDict(c=3)], '[{"a":1},{"b":2},{"c":3}]'),
    "a dataclass as an object of its fields": (Outer(2), '{"first":{"z":null},"second":2}'),
    "keys as their text": ({1: "a", None: "b", 1.5: "c", (1, 2): "d"}, '{"(1, 2)":"d","1":"a","1.5":"c","None":"b"}'),
    "keys of subclasses of str": ({Text("k"): 1, Masked("m"): 2, Word.YES: 3}, '{"k":1,"m":2,"yes":3}'),
    "nothing": ([{}, [], ""], '[{},[],""]'),
}  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), TEXTS.values(), ids=TEXTS.keys())
def test_a_value_has_one_text(value: Any, expected: str) -> None:
    assert canonical(value) == expected


def test_plain_gives_the_fields_of_a_dataclass_in_the_order_of_their_declaration() -> None:
    assert list(plain(Outer(2))) == ["second", "first"]


def test_plain_gives_new_containers() -> None:
    value = {"a": [1]}
    given = plain(value)
    given["a"].append(2)
    assert value == {"a": [1]}


def test_a_digest_is_the_sha_256_of_the_text_in_utf_8() -> None:
    assert digest({"ñ": (True, None)}) == "a866b079ff0a9795db37ae726110c921697b2de92c0cde9a4873ab00a6ef54a6"
    assert digest("abc") == "6cc43f858fbb763301637b5af970e2a46b46f461f27e5a0f41e009c59b827b25"
    assert canonical_bytes("é") == b'"\xc3\xa9"'


UNEQUAL: dict[str, tuple[Any, Any]] = {
    "true and 1": (True, 1),
    "1 and 1.0": (1, 1.0),
    "the two zeros": (0.0, -0.0),
    "null and false": (None, False),
    "an empty list and an empty object": ([], {}),
    "a text and its number": ("1", 1),
    "composed and decomposed": ("é", "e\u0301"),
    "types inside": ({"a": [1]}, {"a": [1.0]}),
    "texts": ("a", "b"),
    "numbers": (1, 2),
}
EQUAL: dict[str, tuple[Any, Any]] = {
    "a list and a tuple": ([1, 2], (1, 2)),
    "keys in any order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "a key and its text": ({1: 2}, {"1": 2}),
    "an enum and its value": (Word.YES, "yes"),
    "null": (None, None),
    "huge numbers": (10**40, 10**40),
    "numbers too long to be written": (10**5000, 10**5000),
}


@pytest.mark.parametrize(("left", "right"), UNEQUAL.values(), ids=UNEQUAL.keys())
def test_unlike_facts_are_not_the_same(left: Any, right: Any) -> None:
    assert not same(left, right)
    assert not same(right, left)


@pytest.mark.parametrize(("left", "right"), EQUAL.values(), ids=EQUAL.keys())
def test_like_facts_are_the_same(left: Any, right: Any) -> None:
    assert same(left, right)


UNFIT: dict[str, tuple[Any, type[Exception], str]] = {
    "a set": ({"a": [0, {1}]}, InvalidType, r"\$\.a\[1\] has type set"),
    "bytes": ([b"x"], InvalidType, r"\$\[0\] has type bytes"),
    "a date": ({"on": date(2020, 1, 1)}, InvalidType, r"\$\.on has type date"),
    "a path": (Path("x"), InvalidType, r"\$ has type .*Path"),
    "a decimal": (Decimal(1), InvalidType, r"\$ has type Decimal"),
    "a complex number": (1j, InvalidType, r"\$ has type complex"),
    "a deque": (deque([1]), InvalidType, r"\$ has type deque"),
    "a class": (Outer, InvalidType, r"\$ has type type"),
    "after a dataclass that is fit": ([Outer(1, 2), {1}], InvalidType, r"\$\[1\] has type set"),
    "a field of a dataclass": (Outer(1, {2}), InvalidType, r"\$\.first has type set"),
    "NaN": ({"a": {"b": float("nan")}}, InvalidValue, r"\$\.a\.b=nan is not finite"),
    "an infinity": ([float("-inf")], InvalidValue, r"\$\[0\]=-inf is not finite"),
    "NaN of a subclass": (Real("nan"), InvalidValue, r"\$=nan is not finite"),
    "two keys of one text": ({"a": {1: 0, "1": 1}}, InvalidValue, r"\$\.a has keys 1 and '1', both '1'"),
    "an int without a text": (10**5000, InvalidValue, "no JSON text"),
}


@pytest.mark.parametrize("function", [canonical, canonical_bytes, digest, lambda value: same(value, [])])
@pytest.mark.parametrize(("value", "error", "message"), UNFIT.values(), ids=UNFIT.keys())
def test_what_json_cannot_hold_is_refused_with_its_path(
    function: Callable[[Any], Any], value: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        function(value)


SURROGATES: dict[str, tuple[Any, str]] = {
    "in a text": ({"a": ["x\ud800"]}, r"\$\.a\[0\] has a lone surrogate '\\ud800' at character 1"),
    "in a key": ({"\udfff": 1}, r"\$ key has a lone surrogate"),
    "in an enum's value": (Odd.HALF, r"\$ has a lone surrogate"),
}


@pytest.mark.parametrize(("value", "message"), SURROGATES.values(), ids=SURROGATES.keys())
def test_a_lone_surrogate_has_a_text_and_no_bytes(value: Any, message: str) -> None:
    assert canonical(value)
    with pytest.raises(InvalidValue, match=message):
        digest(value)


def containing_itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def nested(leaf: Any, depth: int) -> Any:
    for _ in range(depth):
        leaf = {"a": leaf}
    return leaf


@pytest.mark.parametrize("value", [containing_itself(), nested(0, 100_000)], ids=["a loop", "depth"])
@pytest.mark.parametrize("function", [plain, canonical, digest])
def test_what_nests_too_deeply_is_refused(function: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(InvalidValue, match="nests too deeply"):
        function(value)


@pytest.mark.parametrize("leaf", [float("nan"), "\ud800"], ids=["NaN", "a lone surrogate"])
def test_what_is_unfit_far_down_is_refused_too(leaf: Any) -> None:
    for depth in range(300, 1000, 50):
        with pytest.raises((InvalidValue, InvalidType)):
            digest(nested(leaf, depth))


@pytest.mark.parametrize("value", ["", "é", 0, -1, 10**30, 1.5, -0.0, True, None])
def test_a_scalar_is_returned_as_it_is(value: Any) -> None:
    assert scalar(value) is value


NO_SCALARS: dict[str, tuple[Any, type[Exception], str]] = {
    "a list": ([1], InvalidType, r"fact=\[1\] has type list; expected str, int, float, bool or None"),
    "a subclass of str": (Text("x"), InvalidType, "fact='x' has type Text"),
    "an enum of str": (Word.YES, InvalidType, "has type Word"),
    "a subclass of int": (Whole(1), InvalidType, "has type Whole"),
    "a subclass of float": (Real(1), InvalidType, "has type Real"),
    "NaN": (float("nan"), InvalidValue, "fact=nan is not finite"),
    "an infinity": (float("inf"), InvalidValue, "fact=inf is not finite"),
}


@pytest.mark.parametrize(("value", "error", "message"), NO_SCALARS.values(), ids=NO_SCALARS.keys())
def test_what_is_no_scalar_is_refused_by_name(value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        scalar(value, "fact")
    with pytest.raises(error, match=message.replace("fact=", "value=")):
        scalar(value)


CHANGES: dict[str, Callable[[Any], object]] = {
    "set": lambda mapping: mapping.__setitem__("a", 2),
    "delete": lambda mapping: mapping.__delitem__("a"),
    "update": lambda mapping: mapping.update(a=2),
    "merge": lambda mapping: mapping.__ior__({"a": 2}),
    "clear": lambda mapping: mapping.clear(),
    "pop": lambda mapping: mapping.pop("a"),
    "popitem": lambda mapping: mapping.popitem(),
    "setdefault": lambda mapping: mapping.setdefault("b", 2),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_frozen_mapping_cannot_be_changed(change: Callable[[Any], object]) -> None:
    frozen = FrozenDict(a=1)
    with pytest.raises(InvalidType, match="read-only"):
        change(frozen)
    assert frozen == {"a": 1}


def test_a_frozen_mapping_is_carried_anywhere() -> None:
    frozen = FrozenDict(a=FrozenDict(b=None))
    for carried in (copy.copy(frozen), copy.deepcopy(frozen), pickle.loads(pickle.dumps(frozen))):  # noqa: S301
        assert (carried, hash(carried), type(carried)) == (frozen, hash(frozen), FrozenDict)
    assert hash(FrozenDict(a=1, b=2)) == hash(FrozenDict(b=2, a=1))
    assert {frozen: 1}[FrozenDict(a=FrozenDict(b=None))] == 1


def test_a_copy_of_a_frozen_mapping_by_dict_can_be_changed() -> None:
    assert {**FrozenDict(a=1), "a": 2} == {"a": 2}


@pytest.mark.parametrize(
    ("sha256", "shards", "shard"),
    [("0000000a" + "f" * 56, 7, 3), ("ffffffff" + "0" * 56, 1000, 295), ("00000100" + "0" * 56, 100, 56)],
)
def test_the_shard_of_a_digest_is_the_rest_of_its_first_32_bits(sha256: str, shards: int, shard: int) -> None:
    assert shard_of(sha256, shards) == shard


PLAIN = [1, "x", None, True, 1.5, [], {}, [1, "x"], {"a": 1}, {"a": [1.5, {"b": None}]}, [[[]]], [{"a": {}}]]
NOT_PLAIN = [
    (1,),
    float("nan"),
    [(1,)],
    {"a": (1,)},
    {1: 2},
    {"a": {1: 2}},
    [float("inf")],
    Number.ONE,
    {"a": Number.ONE},
]


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_what_is_json_as_it_stands_is_plain(value: Any) -> None:
    assert is_plain(value)


@pytest.mark.parametrize("value", NOT_PLAIN, ids=repr)
def test_what_must_be_made_json_first_is_not_plain(value: Any) -> None:
    assert not is_plain(value)


def test_a_frozen_mapping_is_plain() -> None:
    assert is_plain(FrozenDict(a=1))


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_the_bytes_of_what_is_plain_are_its_canonical_bytes(value: Any) -> None:
    assert plain_bytes(value) == canonical_bytes(value)


@pytest.mark.parametrize(("value", "error"), [(float("nan"), ValueError), ({(1, 2): 3}, TypeError), ({1}, TypeError)])
def test_what_is_not_plain_has_no_plain_bytes(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        plain_bytes(value)


def test_a_large_mapping_that_is_not_plain_keeps_all_its_keys() -> None:
    assert plain({number: (number,) for number in range(1000)}) == {str(n): [n] for n in range(1000)}


def test_an_interpreter_without_the_fast_encoder_writes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json.encoder, "c_make_encoder", None)
    value = {"b": [1.5, "é\u2028\x7f"], "a": {"d": None, "c": True}}
    assert _encoder()(value) == canonical(value)
    with pytest.raises(ValueError, match="JSON"):
        _encoder()(float("nan"))
