"""typeguard: whether a value is of a type; types and functions are described, not evaluated."""

import inspect
from typing import Any, Callable, Literal, NotRequired, Required, TypedDict

import typeguard

TYPES = {
    "literal": lambda values: Literal[tuple(values)],
    "required": lambda name: TypedDict("Described", {name: Required[int]}),
    "not_required": lambda name: TypedDict("Described", {name: NotRequired[int]}),
    "function": lambda _: Callable[[int, str], Any],
}
REFUSAL = getattr(typeguard, "TypeCheckError", TypeError)


def errors(sample):
    """Return ``TypeCheckError@$`` if the value is not of the type."""
    ((kind, detail),) = sample["type"].items()
    value = _function(sample["value"]) if kind == "function" else sample["value"]
    first = next(iter(inspect.signature(typeguard.check_type).parameters))
    arguments = (value, TYPES[kind](detail)) if first == "value" else ("value", value, TYPES[kind](detail))
    try:
        typeguard.check_type(*arguments)
    except REFUSAL:
        return ["TypeCheckError@$"]
    return []


def _function(parameters):
    """Return a function with these parameters, written ``a``, ``a=1`` or ``*a``."""

    def described(*_, **__):
        return 0

    described.__signature__ = inspect.Signature([_parameter(text) for text in parameters])
    return described


def _parameter(text):
    name, _, default = text.partition("=")
    kind = inspect.Parameter.VAR_POSITIONAL if name.startswith("*") else inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name.lstrip("*"), kind, default=int(default) if default else inspect.Parameter.empty)
