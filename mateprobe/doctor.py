"""The doctor: validators that are wrong on purpose, run over a corpus to see whether it notices.

An audit asks about every baseline first, so a validator that fails there is seen on any corpus. These
saboteurs are cunning: each has memorised the digests of all baselines and accepts them; what it does
wrong, it does on every other sample. It sees samples alone: neither labels nor the case they belong to.

A saboteur is unmasked by a counted case that did not end well, a fault not detected or a control not
preserved, and passes where there is none. That is stricter than missing thresholds of 1.0: without a
fault not even a perfect validator meets them, so missing them then exposes nobody.

Any fault unmasks accept-all; any fault or control unmasks reject-all, crash, unknown and wrong-id; only a
control whose variant is no baseline unmasks every-id, since detection asks for no more than the expected
ids. A validator that knew the labels and reported every id on faults alone would pass on any corpus;
of that one the report tells the attribution precision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from ._version import __version__
from .canonical import digest, plain
from .corpus import Corpus
from .outcome import FAILURES, INELIGIBLE, Relation
from .runner import Validator, Verdict
from .tally import counts, rates, ratio
from .validator_audit import AuditCase, AuditResult, Obligation, audit_validator

T = TypeVar("T")

EXPOSING = FAILURES - INELIGIBLE
"""How a counted case ends that shows a saboteur for what it is."""


@dataclass(frozen=True, slots=True)
class Saboteur:
    """A validator that is wrong on purpose.

    ``does``: what it does with a sample that is no baseline. ``needs``: what a corpus needs to unmask it.
    ``answer`` makes its verdict from the ids that the cases of the corpus expect.
    """

    id: str
    does: str
    needs: str
    answer: Callable[[tuple[str, ...]], Verdict]

    def validator(self, baselines: frozenset[str], ids: tuple[str, ...]) -> Validator:
        """Return it as a callable that knows the digests of the baselines and every expected id."""

        def judge(sample: Any) -> Verdict:
            return Verdict(accepted=True) if digest(sample) in baselines else self.answer(ids)

        return judge


def _crash(_: tuple[str, ...]) -> NoReturn:
    raise RuntimeError("the saboteur crashed, as it should")


def _stranger(ids: tuple[str, ...]) -> str:
    """Return an id that is none of ``ids``: it is longer than each."""
    return max(("", *ids), key=len) + "?"


_ANY = "a fault or a control whose variant is no baseline"

SABOTEURS = (
    Saboteur("accept-all", "accepts", "a fault", lambda _: Verdict(accepted=True)),
    Saboteur("reject-all", "rejects without an id", _ANY, lambda _: Verdict(accepted=False)),
    Saboteur("crash", "raises", _ANY, _crash),
    Saboteur("unknown", "comes to no decision", _ANY, lambda _: Verdict(accepted=False, complete=False)),
    Saboteur("wrong-id", "rejects with an id that nobody expects", _ANY, lambda ids: Verdict(False, (_stranger(ids),))),
    Saboteur(
        "every-id",
        "rejects with every id that some case expects",
        "a control whose variant is no baseline",
        lambda ids: Verdict(False, ids),
    ),
)


@dataclass(frozen=True, slots=True)
class Exposure:
    """How a saboteur fared: its rates (0 to 1, None where undefined), and what gave it away.

    ``exposed_by`` holds (outcome, number of cases) for every outcome that did.
    """

    saboteur: str
    does: str
    needs: str
    detection_score: float | None
    preservation_rate: float | None
    exposed_by: tuple[tuple[str, int], ...]

    @property
    def unmasked(self) -> bool:
        """Some case gave it away."""
        return bool(self.exposed_by)


@dataclass(frozen=True, slots=True)
class Coverage:
    """An obligation: its counted faults and controls, and the saboteurs no case of it gives away."""

    id: str
    description: str
    scope: str
    faults: int
    controls: int
    passing: tuple[str, ...]

    @property
    def lacks(self) -> tuple[str, ...]:
        """Which of ``fault`` and ``control`` it has none of."""
        return ("fault",) * (not self.faults) + ("control",) * (not self.controls)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One sample that a case wants accepted and another rejected: no validator can satisfy both."""

    sample: str
    accepted_in: str
    rejected_in: str


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """What a corpus can tell apart.

    ``counted`` is the number of cases with a valid label and two different samples, of ``total``.
    ``spray_precision`` is the share of expected ids among those reported by a validator that knows
    which samples are faulty and reports all ``distinct_ids`` on each; None without a fault.
    """

    corpus_digest: str
    total: int
    counted: int
    saboteurs: tuple[Exposure, ...]
    obligations: tuple[Coverage, ...]
    contradictions: tuple[Contradiction, ...]
    distinct_ids: int
    spray_precision: float | None
    schema_version: int = 1
    library_version: str = __version__

    @property
    def healthy(self) -> bool:
        """In every obligation each saboteur is unmasked, which takes a fault and a control; no contradictions."""
        return not self.contradictions and not any(obligation.passing for obligation in self.obligations)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {
            **plain(self),
            "healthy": self.healthy,
            "saboteurs": [
                {**plain(item), "exposed_by": dict(item.exposed_by), "unmasked": item.unmasked}
                for item in self.saboteurs
            ],
            "obligations": [{**plain(item), "lacks": list(item.lacks)} for item in self.obligations],
        }

    def to_markdown(self) -> str:
        """Return the report for people, as Markdown that reads well on a terminal."""
        from .reports.doctor_markdown import doctor_markdown

        return doctor_markdown(self)


def examine(cases: Iterable[AuditCase[T]], obligations: Iterable[Obligation]) -> DoctorReport:
    """Run every saboteur over the corpus and say which it unmasks, and where it cannot.

    Raises:
        InvalidValue, InvalidType: as ``audit_validator``.
    """
    cases = tuple(cases)
    obligations = tuple(obligations)
    baselines = frozenset(pair.baseline for pair in Corpus(cases).pairs)
    ids = tuple(sorted({id for case in cases for id in case.expected}))
    audits = {
        saboteur: audit_validator(
            saboteur.validator(baselines, ids), cases, obligations=obligations, validator_id=saboteur.id
        )
        for saboteur in SABOTEURS
    }
    results = {saboteur: report.cases for saboteur, report in audits.items()}
    counted = [case for case in results[SABOTEURS[0]] if case.outcome not in INELIGIBLE]
    return DoctorReport(
        corpus_digest=audits[SABOTEURS[0]].corpus_digest,
        total=len(cases),
        counted=len(counted),
        saboteurs=tuple(_exposure(saboteur, ended) for saboteur, ended in results.items()),
        obligations=tuple(_coverages(obligations, counted, results)),
        contradictions=tuple(_contradictions(counted)),
        distinct_ids=len(ids),
        spray_precision=_spray_precision(counted, len(ids)),
    )


def _exposure(saboteur: Saboteur, results: tuple[AuditResult, ...]) -> Exposure:
    found = rates((case.relation, case.outcome) for case in results)
    return Exposure(
        saboteur=saboteur.id,
        does=saboteur.does,
        needs=saboteur.needs,
        detection_score=found.detection_score,
        preservation_rate=found.preservation_rate,
        exposed_by=tuple(counts(case.outcome for case in results if case.outcome in EXPOSING).items()),
    )


def _coverages(
    obligations: tuple[Obligation, ...],
    counted: list[AuditResult],
    results: dict[Saboteur, tuple[AuditResult, ...]],
) -> Iterator[Coverage]:
    number = Counter((case.obligation, case.relation) for case in counted)
    exposed = {
        saboteur.id: {case.obligation for case in ended if case.outcome in EXPOSING}
        for saboteur, ended in results.items()
    }
    for obligation in obligations:
        yield Coverage(
            id=obligation.id,
            description=obligation.description,
            scope=obligation.scope,
            faults=number[obligation.id, Relation.VIOLATION],
            controls=number[obligation.id, Relation.PRESERVE],
            passing=tuple(id for id, where in exposed.items() if obligation.id not in where),
        )


def _contradictions(counted: list[AuditResult]) -> Iterator[Contradiction]:
    """Yield, in case order, every fault whose variant another case wants accepted, with the first such case."""
    accepted: dict[str, str] = {}
    for case in counted:
        accepted.setdefault(case.baseline_digest, case.id)
        if case.relation is Relation.PRESERVE:
            accepted.setdefault(case.variant_digest, case.id)
    for case in counted:
        if case.relation is Relation.VIOLATION and case.variant_digest in accepted:
            yield Contradiction(case.variant_digest, accepted[case.variant_digest], case.id)


def _spray_precision(counted: list[AuditResult], ids: int) -> float | None:
    faults = [case for case in counted if case.relation is Relation.VIOLATION]
    return ratio(sum(len(set(case.expected)) for case in faults), len(faults) * ids)
