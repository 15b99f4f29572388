"""Cases as a corpus: labels that say what they must, and an identity for every sample and the whole."""

from __future__ import annotations

import hashlib
import marshal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from .canonical import canonical, canonical_bytes, field_names, is_plain
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


class Text(NamedTuple):
    """The canonical text of a sample that is neither text nor plain data."""

    canonical: str


Frozen = str | bytes | Text
"""A sample nobody can change any more: text as it is, plain data marshalled, anything else as canonical text."""

_MARSHAL = 2  # the last version whose bytes depend on the value alone, not on which objects it shares
_LONG = sys.get_int_max_str_digits() * 2 // 5  # bytes, less than a number takes that is too long for text


def freeze(sample: Any) -> Frozen:
    """Return ``sample`` frozen; alike samples, the order of keys included, are frozen alike.

    Raises:
        InvalidValue, InvalidType: JSON cannot hold it; the message has the path.
    """
    if type(sample) is str:
        if not sample.isascii():
            canonical_bytes(sample)  # refuses a lone surrogate
        return sample
    try:
        if is_plain(sample):
            frozen = marshal.dumps(sample, _MARSHAL)
            if b"\xed" in frozen or len(frozen) > _LONG:  # so begins a lone surrogate; a number too long for text
                canonical_bytes(sample)
            return frozen
    except (RecursionError, ValueError):  # nested deeply, or what is no plain data after all, such as a FrozenDict
        pass
    return Text(canonical_bytes(sample).decode())


def thaw(frozen: str | bytes) -> Any:
    """Return a copy of text or plain data that was frozen, which its receiver may damage."""
    return frozen if type(frozen) is str else marshal.loads(frozen)  # type: ignore[arg-type]  # noqa: S302 (our bytes)


def identical(case: Case, baseline: Frozen, variant: Frozen) -> bool:
    """Tell whether a case's frozen samples are the same JSON, which may have its keys in another order."""
    if type(baseline) is bytes and type(variant) is bytes and case.baseline != case.variant:
        return False  # plain data that differ to Python differ as JSON: spares most pairs their texts
    return baseline == variant or _text(baseline) == _text(variant)


def _text(frozen: Frozen) -> bytes:
    return frozen.canonical.encode() if isinstance(frozen, Text) else canonical_bytes(thaw(frozen))


class Corpus:
    """The identities of cases: a digest for every sample, one for the whole, each worked out when first asked for.

    Refuses, before anything is run, duplicate ids and samples that JSON cannot hold.

    Attributes:
        cases: the cases.
        frozen: each case's baseline and variant as they are now.

    Raises:
        InvalidValue: two cases with one id, or a value JSON cannot hold. InvalidType: likewise for a
            type. The message names the case and the path inside its sample.
    """

    def __init__(self, cases: Iterable[Case]) -> None:
        self.cases = tuple(cases)
        ids = [case.id for case in self.cases]
        if len(set(ids)) != len(ids):
            twice = next(id for id, number in Counter(ids).items() if number > 1)
            raise InvalidValue(f"case {twice!r} occurs twice; give every case an id of its own")
        # Samples are told apart by object while the cases are alive: one shared by many is frozen once.
        known: dict[int, Frozen] = {}

        def frozen(sample: Any) -> Frozen:
            found = known.get(id(sample))
            if found is None:
                found = known[id(sample)] = freeze(sample)
            return found

        self.frozen: list[tuple[Frozen, Frozen]] = []
        for case in self.cases:
            left, right = case.baseline, case.variant
            role = "baseline"
            try:  # what most texts are needs no look at all
                baseline = left if type(left) is str and left.isascii() else frozen(left)
                role = "variant"
                variant = right if type(right) is str and right.isascii() else frozen(right)
            except (InvalidType, InvalidValue) as error:
                raise type(error)(f"case {case.id!r} {role}: {error}") from None
            self.frozen.append((baseline, variant))

    @cached_property
    def _identities(self) -> dict[Frozen, tuple[bytes, str]]:
        texts = {frozen: _text(frozen) for pair in self.frozen for frozen in pair}
        return {frozen: (text, hashlib.sha256(text).hexdigest()) for frozen, text in texts.items()}

    @cached_property
    def pairs(self) -> list[Pair]:
        """The digests of each case's samples."""
        known = self._identities
        return [Pair(known[baseline][1], known[variant][1]) for baseline, variant in self.frozen]

    @cached_property
    def digest(self) -> str:
        """The digest of the cases.

        Raises:
            InvalidValue: a field of a case JSON cannot hold; names the case.
        """
        known = self._identities
        whole = hashlib.sha256(b"[")
        for position, (case, (baseline, variant)) in enumerate(zip(self.cases, self.frozen, strict=True)):
            whole.update(b"," if position else b"")
            for piece in _case_bytes(case, known[baseline][0], known[variant][0]):
                whole.update(piece)
        whole.update(b"]")
        return whole.hexdigest()


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
    try:
        canonical_bytes([case.id, getattr(case, home), case.provenance, list(case.expected)])
    except InvalidValue as error:
        raise InvalidValue(f"case {case.id!r}: id, {home}, provenance, expected: {error}") from None
    if case.validity is Validity.VALID and not case.provenance:
        raise InvalidValue(f"case {case.id!r} is labelled valid with provenance=''; say who or what established it")
