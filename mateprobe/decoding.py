"""Data as read from JSON, turned into what a type declares: exact types, declared fields, nothing else.

Each type is turned once into a function that reads it, which is fast. A function that finds
something else does not know where it is: each one around it adds its own step, so that a path is
made only when there is an error to tell.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import cycle, islice
from math import isfinite
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from .errors import InvalidType, InvalidValue, MateProbeError, one_of

T = TypeVar("T")
Reader = Callable[[Any], Any]
"""Turns data into a value, or raises ``Misfit``."""

_JSON: Mapping[Any, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "an array",
    types.NoneType: "null",
}
_SHOWN = 60  # characters of a value in a message
_LISTED = 8  # keys of an object in a message


class Misfit(Exception):
    """What is wrong, and the steps from there outwards."""

    def __init__(self, kind: type[MateProbeError], message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.steps: list[object] = []

    def at(self, step: object) -> Misfit:
        """Add the key or index under which the data lie, and return itself."""
        self.steps.append(step)
        return self


def read(reader: Callable[[Any], T], data: Any, where: str) -> T:
    """Return what ``reader`` makes of ``data``; ``where`` begins the paths in errors.

    Raises:
        InvalidValue, InvalidType: the message has the path, what was expected and what was found.
    """
    try:
        return reader(data)
    except Misfit as misfit:
        path = "".join(map(step, reversed(misfit.steps)))
        raise misfit.kind(f"{where}{path}: {misfit}") from None


@cache  # as many as there are types in the code
def reader(annotation: Any) -> Reader:
    """Return the function that reads what ``annotation`` declares.

    Raises:
        InvalidType: an annotation this module does not know.
    """
    if annotation is float:
        return _float
    if annotation is None or annotation in _JSON:
        return _exact(annotation or types.NoneType)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _choice((member.value, member) for member in annotation)
    if is_dataclass(annotation) and isinstance(annotation, type):
        return instance(annotation)
    return _composed(annotation, get_origin(annotation), get_args(annotation))


def _composed(annotation: Any, origin: Any, parts: tuple[Any, ...]) -> Reader:
    if origin is tuple:
        repeated = parts[-1:] == (...,)
        return array([reader(part) for part in parts if part is not ...], repeated=repeated)
    if origin in (dict, Mapping) and parts[0] is str:
        return _mapping(reader(parts[1]))
    if origin in (Union, types.UnionType):
        return _union(parts)
    if origin is Literal:
        return _choice((word, word) for word in parts)
    raise InvalidType(
        f"annotation={annotation!r} cannot be read; expected a JSON type, a Literal, an enum, a dataclass, "
        "or a tuple, mapping from str or union of these"
    )


def array(readers: list[Reader], *, repeated: bool = False) -> Callable[[Any], tuple[Any, ...]]:
    """Return a reader of arrays with an item for each of ``readers``, or ``repeated`` any number."""

    def read_array(value: Any) -> tuple[Any, ...]:
        if type(value) is not list and type(value) is not tuple:
            raise wrong("an array", value)
        if not repeated and len(value) != len(readers):
            raise wrong(f"an array of {len(readers)}", value)
        done: list[Any] = []  # its length is the index of the item that fails
        try:
            for read_item, item in zip(cycle(readers), value, strict=False):
                done.append(read_item(item))
        except Misfit as misfit:
            raise misfit.at(len(done)) from None
        return tuple(done)

    return read_array


def instance(cls: type[T], **special: Reader) -> Callable[[Any], T]:
    """Return a reader of a dataclass from an object of its fields; ``special`` reads those it names."""
    hints = get_type_hints(cls)
    declared = [field for field in fields(cast(Any, cls)) if field.init]
    readers = {field.name: special.get(field.name) or reader(hints[field.name]) for field in declared}
    required = [field.name for field in declared if field.default is MISSING and field.default_factory is MISSING]

    def read_instance(value: Any) -> T:
        if type(value) is not dict:
            raise wrong("an object", value)
        arguments: dict[str, Any] = {}
        key: Any = None
        try:
            for key, item in value.items():
                read_field = readers.get(key)
                if read_field is None:
                    raise Misfit(InvalidValue, f"no such key; {one_of(str(key), readers)}")
                arguments[key] = read_field(item)
        except Misfit as misfit:
            raise misfit.at(key) from None
        for name in required:
            if name not in arguments:
                raise missing(name, value)
        try:
            return cls(**arguments)
        except (TypeError, ValueError) as error:  # whatever the class refuses; it may be the caller's own
            kind = InvalidType if isinstance(error, TypeError) else InvalidValue
            raise Misfit(kind, str(error)) from None

    return read_instance


def _exact(kind: type) -> Reader:
    def read_exact(value: Any) -> Any:
        if type(value) is not kind:
            raise wrong(_JSON[kind], value)
        return value

    return read_exact


def _float(value: Any) -> float:
    if type(value) is not float and type(value) is not int:
        raise wrong("a number", value)
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise Misfit(InvalidValue, f"expected a number that a double can hold, found {shown(value)}")
    return number


def _mapping(read_item: Reader) -> Reader:
    def read_mapping(value: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise wrong("an object", value)
        done: dict[str, Any] = {}
        key: Any = None
        try:
            for key, item in value.items():
                if type(key) is not str:
                    raise wrong("a key that is a string", key)
                done[key] = read_item(item)
        except Misfit as misfit:
            raise misfit.at(key) from None
        return done

    return read_mapping


def _union(members: tuple[Any, ...]) -> Reader:
    kinds = _JSON.keys() & set(members) - {float}
    readers = [reader(member) for member in members if member not in kinds]
    expected = " or ".join(_JSON.get(member, "an object") for member in members)

    def read_union(value: Any) -> Any:
        if type(value) in kinds:
            return value
        nearest: Misfit | None = None
        for read_member in readers:
            try:
                return read_member(value)
            except Misfit as misfit:
                if misfit.steps or misfit.kind is InvalidValue:  # of the right type, and wrong inside
                    nearest = nearest or misfit
        raise nearest or wrong(expected, value)

    return read_union


def _choice(members: Iterable[tuple[Any, Any]]) -> Reader:
    options = {(type(word), word): member for word, member in members}

    def read_choice(value: Any) -> Any:
        if type(value) not in _JSON or isinstance(value, (dict, list)) or (type(value), value) not in options:
            allowed = ", ".join(repr(word) for _, word in options)
            raise Misfit(InvalidValue, f"expected one of {allowed}, found {shown(value)}")
        return options[type(value), value]

    return read_choice


def wrong(expected: str, value: Any) -> Misfit:
    """Return the misfit of a value of another type."""
    return Misfit(InvalidType, f"expected {expected}, found {shown(value)}")


def missing(key: str, value: Mapping[Any, Any]) -> Misfit:
    """Return the misfit of an object without a key it must have."""
    found = [shown(key) for key in islice(value, _LISTED)] + ["…"] * (len(value) > _LISTED)
    return Misfit(InvalidValue, f"{key!r} is missing; found {', '.join(found) or 'no keys'}")


def shown(value: Any) -> str:
    """Say what was found, in the words of JSON, however large or deep it is."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (dict, list, tuple)):
        return f"{'an object' if isinstance(value, dict) else 'an array'} of {len(value)}"
    if isinstance(value, int) and value.bit_length() > 200:  # the interpreter may refuse to print it
        return f"an integer of {value.bit_length()} bits"
    return _short(value)


def step(key: object) -> str:
    """Return a step into JSON data as a path shows it: ``.key`` or ``[0]``."""
    return f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{_short(key)}]"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
