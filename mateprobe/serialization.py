"""Samples, contracts and policies from JSON data, which choose among the rules in ``RULES`` and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from .decoding import Misfit, array, instance, missing, read, reader, wrong
from .engine import Contract, Rule
from .errors import InvalidType, InvalidValue, one_of
from .model import Context, Document, Policy
from .mutations import Sample
from .relations import AllowedTransition, CompareFields
from .rules import BUILT_IN_RULES

T = TypeVar("T")

RULES: Mapping[str, type[Rule]] = MappingProxyType(
    {rule.__name__: rule for rule in (*BUILT_IN_RULES, CompareFields, AllowedTransition)}
)
"""The contracts data may name, by the word that names them."""


def load_bundle(data: Any) -> tuple[Document, Context, tuple[Contract, ...], Policy]:
    """Return the document, context, contracts and policy of a bundle: the arguments of ``evaluate``.

    Args:
        data: ``{"document": …, "context": …, "contracts": […], "policy": …}`` as read from JSON;
            ``policy`` may be left out. A contract is an object of its fields and ``type``, a name
            in ``RULES``.

    Raises:
        InvalidValue: a missing or unknown key, an unknown rule, a bad pattern, a value its type refuses.
        InvalidType: a value of another JSON type (a bool is no number; an int serves as a float).
            Both name the path, such as ``$.contracts[2].minimum``.

    Examples:
        >>> body = {"id": "body", "text": "Paid."}
        >>> rule = {"type": "RequiredFact", "rule_id": "paid", "key": "status", "expected": "paid"}
        >>> context = {"states": {"current": {"status": "paid"}}}
        >>> data = {"document": {"surfaces": [body]}, "context": context, "contracts": [rule]}
        >>> document, context, contracts, policy = load_bundle(data)
        >>> contracts[0].rule_id
        'paid'
    """
    bundle = read(_BUNDLE, data, "$")
    return bundle.document, bundle.context, bundle.contracts, bundle.policy


def sample_from_data(data: Any, where: str = "$") -> Sample:
    """Return the sample of ``{"document": …, "context": …}``; ``where`` begins the paths in errors.

    Raises:
        InvalidValue, InvalidType: as ``load_bundle``.
    """
    return read(_SAMPLE, data, where)


def contracts_from_data(data: Any, where: str = "$") -> tuple[Contract, ...]:
    """Return the contracts of a list of objects, in order; ``where`` begins the paths in errors.

    Raises:
        InvalidValue, InvalidType: as ``load_bundle``.
    """
    return read(_CONTRACTS, data, where)


def policy_from_data(data: Any, where: str = "$") -> Policy:
    """Return the policy of an object of its flags; ``where`` begins the paths in errors.

    Raises:
        InvalidValue, InvalidType: as ``load_bundle``.
    """
    return read(_POLICY, data, where)


def from_data(cls: type[T], data: Any) -> T:
    """Return an instance of the dataclass ``cls`` from an object of its fields.

    Raises:
        InvalidValue, InvalidType: as ``load_bundle``; also a ``cls`` that is no dataclass.
    """
    if not is_dataclass(cls):
        raise InvalidType(f"cls={cls!r}; expected a dataclass")
    instance: T = decode(cls, data)
    return instance


def decode(annotation: Any, value: Any) -> Any:
    """Return ``value``, data as read from JSON, as what ``annotation`` declares.

    Args:
        annotation: str, int, float, bool, None, dict or list; a ``Literal``, an enum, a dataclass;
            a tuple, a mapping from str or a union of these.
        value: the data; an array stands for a tuple.

    Raises:
        InvalidValue, InvalidType: as ``load_bundle``; also an annotation of another kind.
    """
    return read(reader(annotation), value, "$")


def _contract(value: Any) -> Contract:
    if type(value) is not dict:
        raise wrong("an object", value)
    if "type" not in value:
        raise missing("type", value)
    name = value["type"]
    if type(name) is not str:
        raise wrong("the name of a rule", name).at("type")
    if name not in RULES:
        raise Misfit(InvalidValue, f"no rule has the name {name!r}; {one_of(name, RULES)}").at("type")
    rule: Any = RULES[name]
    contract: Contract = reader(rule)({key: item for key, item in value.items() if key != "type"})
    return contract


@dataclass(frozen=True, slots=True)
class _Bundle:
    document: Document
    context: Context
    contracts: tuple[Contract, ...]
    policy: Policy = field(default_factory=Policy)


_SAMPLE = instance(Sample)
_POLICY = instance(Policy)
_CONTRACTS = array([_contract], repeated=True)
_BUNDLE = instance(_Bundle, contracts=_CONTRACTS)
