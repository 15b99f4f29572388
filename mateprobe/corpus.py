"""Cases as a corpus: labels that say what they must, and an identity for every sample and the whole."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from .canonical import canonical, canonical_bytes, field_names
from .errors import InvalidType, InvalidValue
from .outcome import Relation, Validity


class Case(Protocol):
    """What campaigns and validator audits share of a case."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def baseline(self) -> Any: ...  # noqa: D102
    @property
    def variant(self) -> Any: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Pair:
    """The identities of a case's two samples: SHA-256 of their canonical JSON, in hex."""

    baseline: str
    variant: str


class Corpus:
    """The identities of cases: a digest for every sample, one for the whole.

    Refuses, before anything is run, duplicate ids and samples that JSON cannot hold.

    Raises:
        InvalidValue: two cases with one id, or a value JSON cannot hold. InvalidType: likewise for a
            type. The message names the case and the path inside its sample.
    """

    def __init__(self, cases: Iterable[Case]) -> None:
        cases = tuple(cases)
        # Samples are told apart by object while the cases are alive; equal objects get equal digests.
        known: dict[int, tuple[bytes, str]] = {}
        whole = hashlib.sha256(b"[")
        self.pairs: list[Pair] = []
        seen: set[str] = set()
        for position, case in enumerate(cases):
            if case.id in seen:
                raise InvalidValue(f"case {case.id!r} occurs twice; give every case an id of its own")
            seen.add(case.id)
            baseline = _identify(known, case, "baseline")
            variant = _identify(known, case, "variant")
            self.pairs.append(Pair(baseline[1], variant[1]))
            whole.update(b"," if position else b"")
            for piece in _case_bytes(case, baseline[0], variant[0]):
                whole.update(piece)
        whole.update(b"]")
        self.digest = whole.hexdigest()


def _identify(known: dict[int, tuple[bytes, str]], case: Case, role: str) -> tuple[bytes, str]:
    sample = getattr(case, role)
    identity = known.get(id(sample))
    if identity is None:
        try:
            text = canonical_bytes(sample)
        except (InvalidType, InvalidValue) as error:
            raise type(error)(f"case {case.id!r} {role}: {error}") from None
        identity = known[id(sample)] = (text, hashlib.sha256(text).hexdigest())
    return identity


def _case_bytes(case: Any, baseline: bytes, variant: bytes) -> Iterator[bytes]:
    """Yield the canonical bytes of a case without encoding its samples a second time."""
    rest = {name: getattr(case, name) for name in field_names(type(case))}
    del rest["baseline"], rest["variant"]
    if not all("baseline" < name < "variant" for name in rest):  # a subclass with fields of its own
        yield canonical_bytes(case)
        return
    try:
        middle = canonical(rest).encode()
    except (InvalidType, InvalidValue, UnicodeEncodeError) as error:
        raise InvalidValue(f"case {case.id!r}: {error}") from None
    yield from (b'{"baseline":', baseline, b",", middle[1:-1], b',"variant":', variant, b"}")


def check_label(case: Any, home: str, expectation: str) -> None:
    """Check what every kind of case must say: id, home, relation, validity, expectations, provenance.

    Raises:
        InvalidValue, InvalidType: the message names the case.
    """
    for name in ("id", home):
        if not isinstance(getattr(case, name), str):
            raise InvalidType(f"case id={case.id!r} {name}={getattr(case, name)!r}; expected text")
    if not case.id or not getattr(case, home):
        raise InvalidValue(f"case id={case.id!r}, {home}={getattr(case, home)!r}: neither may be empty")
    if not isinstance(case.relation, Relation) or not isinstance(case.validity, Validity):
        raise InvalidType(
            f"case {case.id!r} relation={case.relation!r}, validity={case.validity!r}; "
            "expected a Relation and a Validity"
        )
    if case.relation is Relation.VIOLATION and not case.expected:
        raise InvalidValue(f"case {case.id!r} is a fault with expected=(); name at least one {expectation}")
    if case.relation is Relation.PRESERVE and case.expected:
        raise InvalidValue(f"case {case.id!r} is a control with expected={case.expected!r}; a control expects nothing")
    if not isinstance(case.provenance, str):
        raise InvalidType(f"case {case.id!r} provenance={case.provenance!r}; expected text")
    if case.validity is Validity.VALID and not case.provenance:
        raise InvalidValue(f"case {case.id!r} is labelled valid with provenance=''; say who or what established it")
