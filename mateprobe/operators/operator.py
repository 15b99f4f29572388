"""What an operator is, and how it is applied: a named, versioned, seeded edit of one place of a JSON sample."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from random import Random
from typing import Any, NamedTuple

from mateprobe.canonical import canonical_bytes, plain, same
from mateprobe.errors import InvalidValue
from mateprobe.operators.constraints import Constraint, Schema, applying
from mateprobe.operators.places import Path, Pattern, at as place_of, pointer, put, walk


@dataclass(frozen=True, slots=True)
class Site:
    """One place of a sample as an operator sees it: what stands there, chance of its own, what a schema asks there.

    Examples:
        >>> Site(3, Random(0)).value
        3
    """

    value: Any
    chance: Random
    constraints: Sequence[Constraint] = ()


class Change(NamedTuple):
    """What an operator makes of a site: its new value, the part of it that changed, a word to tell it from others.

    Examples:
        >>> Change({"a": 1}, ("a",)).label
        ''
    """

    value: Any
    below: Path = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """One edit of a sample called ``example``, seed 0; a JSON Schema that judges it; why it comes to that verdict.

    Examples:
        >>> Example({"id": 7}, {}, {"required": ["id"]}, "the key is required").why
        'the key is required'
    """

    before: Any
    after: Any
    schema: Schema
    why: str


@dataclass(frozen=True, slots=True)
class Examples:
    """A fault the schema detects, a fault that it lets pass, and an edit that does no harm.

    Examples:
        >>> from mateprobe.operators import OPERATORS
        >>> OPERATORS["drop_key"].examples.detected.why
        'the key is required'
    """

    detected: Example
    surviving: Example
    control: Example


@dataclass(frozen=True, slots=True)
class Operator:
    """A named edit. Its version changes when its edits do.

    Attributes:
        name: as a study calls it.
        version: of its edits.
        states: what an edit of it does, in a few words.
        change: yields the changes of a site; a site it does not fit has none. Never writes to the site.
        examples: what its edits may be; a composed operator has none.

    Examples:
        >>> def doubled(site):
        ...     if type(site.value) is int:
        ...         yield Change(2 * site.value)
        >>> double = Operator("double", "1", "a number is doubled", doubled)
        >>> [edit.sample for edit in edits(double, [1, "a"], seed=0, id="s")]
        [[2, 'a']]
    """

    name: str
    version: str
    states: str
    change: Callable[[Site], Iterator[Change]]
    examples: Examples | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """An edited copy of a sample: ``path`` is the JSON Pointer of what changed; with ``label`` it is unique.

    Parts that did not change may be shared with other edits: read it, never write to it.

    Examples:
        >>> Edit(("items", 0), "less", {"items": [0]}).place
        '/items/0:less'
    """

    path: Path
    label: str
    sample: Any

    @property
    def place(self) -> str:
        """The changed place as a JSON Pointer, and the label behind a colon, if there is one."""
        return f"{pointer(self.path)}:{self.label}" if self.label else pointer(self.path)


def edits(
    operator: Operator,
    sample: Any,
    *,
    seed: int,
    id: str,
    where: Sequence[Pattern] = (),
    limit: int | None = None,
    schema: Schema | None = None,
) -> list[Edit]:
    """Return every edit an operator makes of a sample, in the order of the places.

    Args:
        operator: the operator.
        sample: anything JSON can hold; it is left as it is.
        seed: of the study.
        id: of the sample. The chance of a site comes from seed, operator, version, id and path alone,
            so no site, sample or operator more or less changes the edits of another.
        where: only edits of the places that one of these selects; none means all.
        limit: at most so many, chosen by hash.
        schema: the JSON Schema whose constraints an operator may want to know.

    Raises:
        InvalidValue, InvalidType: a sample JSON cannot hold, or two edits with one place and label.

    Examples:
        >>> from mateprobe.operators import OPERATORS
        >>> [(edit.place, edit.sample) for edit in edits(OPERATORS["drop_key"], {"a": 1, "b": 2}, seed=0, id="s")]
        [('/a', {'b': 2}), ('/b', {'a': 1})]
    """
    sample = plain(sample)
    known = applying(schema, sample) if schema is not None else {}
    found: dict[str, Edit] = {}
    for path, value in walk(sample):
        site = Site(value, chance(seed, operator, id, path), known.get(path, ()))
        for change in operator.change(site):
            edit = Edit((*path, *change.below), change.label, put(sample, path, change.value))
            if where and not any(pattern.selects(edit.path) for pattern in where):
                continue
            if edit.place in found:
                raise InvalidValue(
                    f"operator {operator.name!r}: sample {id!r} has two edits {edit.place!r}; label them"
                )
            if not same(change.value, value):
                found[edit.place] = edit
    if limit is None or len(found) <= limit:
        return list(found.values())
    kept = sorted(found, key=lambda place: _sha256(seed, operator, id, place))[:limit]
    return [edit for place, edit in found.items() if place in kept]


def chance(seed: int, operator: Operator, id: str, path: Path) -> Random:
    """Return the random numbers of one site: named by what they are for, whatever else is drawn."""
    return Random(_sha256(seed, operator, id, pointer(path)))


def _sha256(seed: int, operator: Operator, id: str, place: str) -> int:
    name = canonical_bytes([seed, operator.name, operator.version, id, place])
    return int.from_bytes(hashlib.sha256(name).digest())


def chain(first: Operator, *others: Operator) -> Operator:
    """Return the operator that applies these in turn, each to the place that the one before it changed.

    Examples:
        >>> from mateprobe.operators import OPERATORS
        >>> chain(OPERATORS["nfd"], OPERATORS["crlf"]).name
        'nfd+crlf'
    """
    return reduce(_both, others, first)


def _both(first: Operator, second: Operator) -> Operator:
    def change(site: Site) -> Iterator[Change]:
        for one in first.change(site):
            try:
                changed = place_of(one.value, one.below)
            except LookupError:  # what was changed is gone
                continue
            inner = Site(changed, site.chance, site.constraints if not one.below else ())
            for other in second.change(inner):
                label = ",".join(filter(None, (one.label, other.label)))
                yield Change(put(one.value, one.below, other.value), (*one.below, *other.below), label)

    name, version = f"{first.name}+{second.name}", f"{first.version}+{second.version}"
    return Operator(name, version, f"{first.states}, then {second.states}", change)
