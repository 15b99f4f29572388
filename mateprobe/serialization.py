"""Samples, contracts and policies from JSON data: declared fields, exact types, nothing looked up by name.

The type that is wanted decides what may stand in the data; the data choose only among the rules
listed in ``RULES``. Each type is turned once into a function that reads it, which is fast. A
function that finds something else does not know where it is: each one around it adds its own step,
so a path is made only when there is an error to tell.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import cycle, islice
from math import isfinite
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from .engine import Contract, Rule
from .errors import InvalidType, InvalidValue, MateProbeError, one_of
from .model import Context, Document, Policy
from .mutations import Sample
from .relations import AllowedTransition, CompareFields
from .rules import BUILT_IN_RULES

T = TypeVar("T")
Reader = Callable[[Any], Any]

RULES: Mapping[str, type[Rule]] = types.MappingProxyType(
    {rule.__name__: rule for rule in (*BUILT_IN_RULES, CompareFields, AllowedTransition)}
)
"""The contracts data may name, by the word that names them."""


@dataclass(frozen=True, slots=True)
class _Bundle:
    document: Document
    context: Context
    contracts: tuple[Contract, ...]
    policy: Policy = Policy()


def load_bundle(data: Any) -> tuple[Document, Context, tuple[Contract, ...], Policy]:
    """Return the document, context, contracts and policy of a bundle.

    Args:
        data: ``{"document": …, "context": …, "contracts": […], "policy": …}`` as read from JSON;
            ``policy`` may be left out. A contract is an object of its fields and ``type``, a name
            in ``RULES``.

    Raises:
        InvalidValue: a missing or unknown key, an unknown rule, a bad pattern, a value its type refuses.
        InvalidType: a value of another JSON type (a bool is no number; an int serves as a float).
            Both name the path, such as ``$.contracts[2].minimum``.
    """
    bundle: _Bundle = _read(_Bundle, data, "$")
    return bundle.document, bundle.context, bundle.contracts, bundle.policy


def sample_from_data(data: Any, where: str = "$") -> Sample:
    """Return the sample of ``{"document": …, "context": …}``; ``where`` begins the paths in errors.

    Raises:
        InvalidValue, InvalidType: as ``load_bundle``.
    """
    sample: Sample = _read(Sample, data, where)
    return sample


def contracts_from_data(data: Any, where: str = "$") -> tuple[Contract, ...]:
    """Return the contracts of a list of objects, in order; ``where`` begins the paths in errors.

    Raises:
        InvalidValue, InvalidType: as ``load_bundle``.
    """
    contracts: tuple[Contract, ...] = _read(tuple[Contract, ...], data, where)
    return contracts


def policy_from_data(data: Any, where: str = "$") -> Policy:
    """Return the policy of an object of its flags; ``where`` begins the paths in errors.

    Raises:
        InvalidValue, InvalidType: as ``load_bundle``.
    """
    policy: Policy = _read(Policy, data, where)
    return policy


def from_data(cls: type[T], data: Any) -> T:
    """Return an instance of the dataclass ``cls`` from an object of its fields.

    Raises:
        InvalidValue, InvalidType: as ``load_bundle``; also a ``cls`` that is no dataclass.
    """
    if not (isinstance(cls, type) and is_dataclass(cls)):
        raise InvalidType(f"cls={cls!r}; expected a dataclass")
    instance: T = decode(cls, data)
    return instance


def decode(annotation: Any, value: Any) -> Any:
    """Return ``value``, data as read from JSON, as what ``annotation`` declares.

    Args:
        annotation: str, int, float, bool, None, dict or list; a ``Literal``, an enum, a dataclass,
            ``Contract``; a tuple, a mapping from str or a union of these.
        value: the data; an array stands for a tuple.

    Raises:
        InvalidValue, InvalidType: as ``load_bundle``; also an annotation of another kind.
    """
    return _read(annotation, value, "$")


class _Misfit(Exception):
    """What is wrong, and the steps from there outwards."""

    def __init__(self, kind: type[MateProbeError], message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.steps: list[str | int] = []

    def at(self, step: str | int) -> _Misfit:
        self.steps.append(step)
        return self


def _read(annotation: Any, data: Any, where: str) -> Any:
    try:
        return _reader(annotation)(data)
    except _Misfit as misfit:
        raise misfit.kind(f"{where}{''.join(map(_step, reversed(misfit.steps)))}: {misfit}") from None


def _step(step: str | int) -> str:
    return f".{step}" if isinstance(step, str) and step.isidentifier() else f"[{_short(step)}]"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _wrong(expected: str, value: Any) -> _Misfit:
    return _Misfit(InvalidType, f"expected {expected}, found {_shown(value)}")


def _shown(value: Any) -> str:
    """Say what was found, in the words of JSON, however large or deep it is."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (dict, list, tuple)):
        return f"{'an object' if isinstance(value, dict) else 'an array'} of {len(value)}"
    if isinstance(value, int) and value.bit_length() > 200:  # the interpreter may refuse to print it
        return f"an integer of {value.bit_length()} bits"
    return f"{_short(value)} ({type(value).__name__})"


_JSON: Mapping[Any, str] = {
    str: "a string", int: "an integer", float: "a number", bool: "true or false",
    dict: "an object", list: "an array", types.NoneType: "null",
}  # fmt: skip


@cache
def _reader(annotation: Any) -> Reader:
    """Return the function that reads what ``annotation`` declares."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is Contract:
        return _contract
    if annotation is float:
        return _float
    if annotation is None or annotation in _JSON:
        return _exact(annotation or types.NoneType)
    if origin is tuple:
        members = [_reader(member) for member in arguments if member is not ...]
        return _array(members, repeated=arguments[-1:] == (...,))
    if origin in (dict, Mapping) and arguments[0] is str:
        return _mapping(_reader(arguments[1]))
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin is Literal:
        return _choice((word, word) for word in arguments)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _choice((member.value, member) for member in annotation)
    if isinstance(annotation, type) and is_dataclass(annotation):
        return _object(annotation)
    raise InvalidType(
        f"annotation={annotation!r} has no form in JSON that could be read; see decode for those that have"
    )


def _exact(kind: type) -> Reader:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise _wrong(_JSON[kind], value)
        return value

    return read


def _float(value: Any) -> float:
    if type(value) is not float and type(value) is not int:
        raise _wrong("a number", value)
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise _Misfit(InvalidValue, f"expected a number that a double can hold, found {_shown(value)}")
    return number


def _array(readers: list[Reader], *, repeated: bool) -> Reader:
    def read(value: Any) -> tuple[Any, ...]:
        if type(value) is not list and type(value) is not tuple:
            raise _wrong("an array", value)
        if not repeated and len(value) != len(readers):
            raise _wrong(f"an array of {len(readers)}", value)
        done: list[Any] = []
        try:
            for read_item, item in zip(cycle(readers), value, strict=False):
                done.append(read_item(item))  # noqa: PERF401 - its length is the index of the item that fails
        except _Misfit as misfit:
            raise misfit.at(len(done)) from None
        return tuple(done)

    return read


def _mapping(read_item: Reader) -> Reader:
    def read(value: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise _wrong("an object", value)
        done, key = {}, None
        try:
            for key, item in value.items():  # noqa: B007 - the key at which it fails
                if type(key) is not str:
                    raise _wrong("a key that is a string", key)
                done[key] = read_item(item)
        except _Misfit as misfit:
            raise misfit.at(key) from None
        return done

    return read


def _union(members: tuple[Any, ...]) -> Reader:
    kinds = _JSON.keys() & set(members) - {float}
    readers = [_reader(member) for member in members if member not in kinds]
    expected = " or ".join(_JSON.get(member, "an object") for member in members)

    def read(value: Any) -> Any:
        if type(value) in kinds:
            return value
        nearest: _Misfit | None = None
        for read_member in readers:
            try:
                return read_member(value)
            except _Misfit as misfit:
                if misfit.steps or misfit.kind is InvalidValue:  # of the right type, and wrong inside
                    nearest = nearest or misfit
        raise nearest or _wrong(expected, value)

    return read


def _choice(members: Iterable[tuple[Any, Any]]) -> Reader:
    options = {(type(word), word): member for word, member in members}

    def read(value: Any) -> Any:
        if isinstance(value, (dict, list, tuple)) or (type(value), value) not in options:
            allowed = ", ".join(repr(word) for _, word in options)
            raise _Misfit(InvalidValue, f"expected one of {allowed}, found {_shown(value)}")
        return options[type(value), value]

    return read


def _object(cls: type[Any]) -> Reader:
    hints = get_type_hints(cls)
    declared = [field for field in fields(cls) if field.init]
    readers = {field.name: _reader(hints[field.name]) for field in declared}
    required = [field.name for field in declared if field.default is MISSING and field.default_factory is MISSING]

    def read(value: Any) -> Any:
        if type(value) is not dict:
            raise _wrong("an object", value)
        arguments, key = {}, None
        try:
            for key, item in value.items():
                read_field = readers.get(key)
                if read_field is None:
                    raise _Misfit(InvalidValue, f"no such key; {one_of(str(key), readers)}")
                arguments[key] = read_field(item)
        except _Misfit as misfit:
            raise misfit.at(key) from None
        for name in required:
            if name not in arguments:
                raise _Misfit(InvalidValue, f"{name!r} is missing; found {_listed(value)}")
        try:
            return cls(**arguments)
        except (TypeError, ValueError) as error:  # what the class refuses, also a class of the caller's
            raise _Misfit(InvalidType if isinstance(error, TypeError) else InvalidValue, str(error)) from None

    return read


def _listed(value: dict[Any, Any]) -> str:
    return ", ".join(map(_short, islice(value, 8))) + (", …" if len(value) > 8 else "") or "no keys"


def _contract(value: Any) -> Contract:
    if type(value) is not dict:
        raise _wrong("an object", value)
    if "type" not in value:
        raise _Misfit(InvalidValue, f"'type' is missing; found {_listed(value)}")
    name = value["type"]
    if type(name) is not str:
        raise _wrong("the name of a rule", name).at("type")
    if name not in RULES:
        raise _Misfit(InvalidValue, f"no rule is called {_short(name)}; {one_of(name, RULES)}").at("type")
    contract: Contract = _reader(RULES[name])({key: item for key, item in value.items() if key != "type"})
    return contract
