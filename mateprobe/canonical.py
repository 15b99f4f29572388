"""Canonical JSON: the one text of a value, and the identity built on it.

Two values are the same exactly when their canonical texts are equal, so ``True``, ``1`` and
``1.0`` are three values. Digests are part of the frozen evidence: this text must never change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from math import isfinite
from typing import Any

from .errors import InvalidType, InvalidValue, MateProbeError

_ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"),
    check_circular=False,  # it encodes what ends: trees that have just been walked
)  # fmt: skip
_SCALARS = frozenset({str, int, bool, type(None)})
_FIELDS: dict[type, tuple[str, ...]] = {}
# What a subclass holds, whatever it says of itself.
_CONTENTS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (str, str.__str__), (int, int.__int__), (float, float.__float__)
)  # fmt: skip


class FrozenDict(dict[str, Any]):
    """A read-only dict that can be copied, pickled and, where its values can be, hashed.

    ``plain`` returns it as it is: it is only made of checked names and scalars (see ``model.Context``).
    """

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> Any:
        raise InvalidType(f"{type(self).__name__} is read-only: build a new Context with the changed mapping")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> FrozenDict:
        return self


def plain(value: Any) -> Any:
    """Return ``value`` as dicts with string keys, lists and JSON scalars.

    Dataclasses become objects of their fields, enums their value, mappings get string keys,
    tuples and lists become lists.

    Raises:
        InvalidType: something JSON has no form for (a set, a date, bytes); the message has its path.
        InvalidValue: NaN, an infinity, two keys of one mapping with the same text, or nesting too
            deep for the interpreter; the message has the path.

    Examples:
        >>> plain((1, {2: None}))
        [1, {'2': None}]
    """
    try:
        return _plain(value)
    except _Unfit:
        raise _explain(value) from None
    except RecursionError:
        raise InvalidValue("value nests too deeply for JSON (or contains itself); flatten it") from None


def canonical(value: Any) -> str:
    """Return the canonical JSON text of ``value``: sorted keys, no white space, non-ASCII kept.

    Raises:
        InvalidType, InvalidValue: as ``plain``.

    Examples:
        >>> canonical({"b": 1.0, "a": [True, None]})
        '{"a":[true,null],"b":1.0}'
    """
    try:
        return _encode(value if is_plain(value) else plain(value))
    except MateProbeError:
        raise
    except RecursionError:
        raise InvalidValue("value nests too deeply for JSON; flatten it") from None
    except ValueError as error:  # an int beyond the interpreter's digit limit
        raise InvalidValue(f"value has no JSON text: {error}") from None


def canonical_bytes(value: Any) -> bytes:
    """Return the UTF-8 bytes of ``canonical(value)``, the input of every digest.

    Raises:
        InvalidType, InvalidValue: as ``plain``; also for a lone surrogate, which UTF-8 cannot hold.
    """
    text = canonical(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise _explain(value) from None


def plain_bytes(value: Any) -> bytes:
    """Return ``canonical_bytes`` of a value that is known to be JSON as it stands, which is not looked into.

    Raises:
        ValueError: it is not, as far as the encoder notices.
    """
    return _encode(value).encode()


def digest(value: Any) -> str:
    """Return the lower-case hex SHA-256 of the UTF-8 of ``canonical(value)``.

    Raises:
        InvalidType, InvalidValue: as ``canonical_bytes``.

    Examples:
        >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
        True
    """
    return hashlib.sha256(canonical_bytes(value)).hexdigest()


def shard_of(sha256: str, shards: int) -> int:
    """Return the shard, from 0, of what has this digest: what joins or leaves moves nothing else."""
    return int(sha256[:8], 16) % shards


def same(left: Any, right: Any) -> bool:
    """Tell whether two JSON values are the same, types included: ``True``, ``1`` and ``1.0`` differ.

    Raises:
        InvalidType, InvalidValue: as ``canonical``.

    Examples:
        >>> same([1, 2], (1, 2)), same(1, True)
        (True, False)
    """
    kind = type(left)
    if kind is type(right) and kind in _SCALARS:
        return bool(left == right)
    texts = {canonical(left), canonical(right)}
    return len(texts) == 1


def scalar(value: Any, where: str = "value") -> Any:
    """Return ``value`` if it is a JSON scalar of an exact built-in type; ``where`` names it in errors.

    Raises:
        InvalidType: a container, a custom object or a subclass of a built-in.
        InvalidValue: NaN or an infinity.

    Examples:
        >>> scalar(3)
        3
    """
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if kind is not float:
        raise InvalidType(f"{where}={value!r} has type {kind.__name__}; expected str, int, float, bool or None")
    if not isfinite(value):
        raise InvalidValue(f"{where}={value!r} is not finite; expected a number JSON can hold")
    return value


def _encoder() -> Callable[[Any], str]:
    """Return the encoder of plain values, set up once: ``JSONEncoder.encode`` sets up its C part at each call."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # an interpreter whose json is Python alone
        return _ENCODER.encode
    chunks = make(None, _ENCODER.default, json.encoder.encode_basestring, None, ":", ",", True, False, False)
    return lambda value: "".join(chunks(value, 0))


_encode = _encoder()


def is_plain(value: Any) -> bool:
    """Tell whether ``value`` is JSON as it stands: built-in types alone, finite numbers, keys that are text."""
    kind = type(value)
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or not (type(item) in _SCALARS or is_plain(item)):
                return False
        return True
    if kind is list:
        for item in value:  # noqa: SIM110 (a generator takes twice the time)
            if not (type(item) in _SCALARS or is_plain(item)):
                return False
        return True
    return isfinite(value) if kind is float else kind in _SCALARS or kind is FrozenDict


class _Unfit(Exception):
    """Something JSON cannot hold; ``_explain`` finds out what and where."""


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None or kind is FrozenDict:
        return value
    if kind is dict:
        prepared = {key if type(key) is str else _key(key): _plain(item) for key, item in value.items()}
        if len(prepared) != len(value):
            raise _Unfit
        return prepared
    if kind is list or kind is tuple:
        return [_plain(item) for item in value]
    if kind is float:
        if not isfinite(value):
            raise _Unfit
        return value
    names = _FIELDS.get(kind)  # a dataclass seen before
    return _plain_other(value) if names is None else _plain_fields(value, names)


def _plain_other(value: Any) -> Any:
    if isinstance(value, Enum):
        return _plain(value.value)
    if not isinstance(value, type) and is_dataclass(value):
        return _plain_fields(value, field_names(type(value)))
    if isinstance(value, Mapping):
        return _plain(dict(value.items()))
    for base, content in _CONTENTS:
        if isinstance(value, base):
            return _plain(content(value))
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    raise _Unfit


def _plain_fields(value: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: _plain(getattr(value, name)) for name in names}


def _key(key: Any) -> str:
    return str.__str__(key) if isinstance(key, str) and not isinstance(key, Enum) else str(key)


def field_names(cls: type) -> tuple[str, ...]:
    """Return the field names of a dataclass type, in declaration order."""
    names = _FIELDS.get(cls)
    if names is None:
        names = _FIELDS[cls] = tuple(field.name for field in fields(cls))
    return names


def _explain(value: Any) -> InvalidValue | InvalidType:
    """Return the error that names the first part of ``value`` JSON cannot hold, with its path."""
    try:
        return next(_problems(value, "$"), None) or InvalidValue("value cannot be held as JSON")
    except RecursionError:  # the search needs more of the stack than the encoder did
        return InvalidValue("value holds, nested deeply, something JSON cannot hold; flatten it to be told what")


def _problems(value: Any, path: str) -> Iterator[InvalidValue | InvalidType]:
    if isinstance(value, Enum):
        yield from _problems(value.value, path)
    elif not isinstance(value, type) and is_dataclass(value):
        for name in field_names(type(value)):
            yield from _problems(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, Mapping):
        yield from _mapping_problems(value, path)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _problems(item, f"{path}[{index}]")
    elif isinstance(value, float):
        if not isfinite(value):
            yield InvalidValue(f"{path}={value!r} is not finite; expected a number JSON can hold")
    elif isinstance(value, str):
        yield from _text_problems(value, path)
    elif not isinstance(value, int) and value is not None:
        kind = type(value).__name__
        yield InvalidType(
            f"{path} has type {kind}, which JSON cannot hold; expected str, number, bool, None, list or dict"
        )


def _mapping_problems(value: Mapping[Any, Any], path: str) -> Iterator[InvalidValue | InvalidType]:
    seen: dict[str, Any] = {}
    for key, item in value.items():
        text = _key(key)
        if text in seen:
            yield InvalidValue(f"{path} has keys {seen[text]!r} and {key!r}, both {text!r} in JSON; keep one")
        seen[text] = key
        yield from _text_problems(text, f"{path} key")
        yield from _problems(item, f"{path}.{text}")


def _text_problems(text: str, path: str) -> Iterator[InvalidValue]:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        yield InvalidValue(
            f"{path} has a lone surrogate {text[error.start]!r} at character {error.start}; "
            "expected text that UTF-8 can hold"
        )
