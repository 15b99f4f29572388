"""Validator audits: any callable that gives a verdict, over pairs of any samples JSON can hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any, Generic, Literal, NamedTuple, TypeVar, get_args

from ._version import __version__
from .canonical import plain
from .classify import Decision, Facts, Judged, classify, without_variant
from .corpus import Corpus, Frozen, Pair, Text, check_label, identical, thaw
from .errors import InvalidType, InvalidValue, one_of
from .model import Report, names
from .mutations import violated
from .outcome import Outcome, Relation, Validity
from .provenance import GitProvenance
from .runner import Failure, Judgement, Reading, Verdict, ask, judge_repeatedly, judged
from .tally import assess, by_outcome, counts, rates, shortfalls

__all__ = [
    "AuditCase",
    "AuditResult",
    "Obligation",
    "Relation",
    "ValidatorAuditReport",
    "Validity",
    "Verdict",
    "audit_validator",
    "report_verdict",
]  # fmt: skip

T = TypeVar("T")
Scope = Literal["contract", "challenge"]
"""Whether an obligation is one of the contract, or goes beyond it on purpose."""


@dataclass(frozen=True, slots=True)
class Obligation:
    """Something the validator must enforce; ``challenge`` marks what is beyond its stated guarantee.

    Raises:
        InvalidValue: an empty id or description, or another scope.

    Examples:
        >>> Obligation("receipt", "A refund has a receipt.").scope
        'contract'
    """

    id: str
    description: str
    scope: Scope = "contract"

    def __post_init__(self) -> None:
        if not self.id or not self.description:
            raise InvalidValue(f"obligation id={self.id!r}, description={self.description!r}: neither may be empty")
        if self.scope not in get_args(Scope):
            raise InvalidValue(f"obligation {self.id!r} scope={self.scope!r}; expected 'contract' or 'challenge'")


@dataclass(frozen=True, slots=True)
class AuditCase(Generic[T]):
    """A baseline and a variant, the obligation they test, and the ids that must be reported.

    Raises:
        InvalidValue: an empty id or obligation; a fault without expected ids, a control with them; a
            valid label without provenance. InvalidType: a value of another type.

    Examples:
        >>> label = (Validity.VALID, "taken out by hand")
        >>> AuditCase("none", "receipt", "R-17", "", Relation.VIOLATION, ("receipt",), *label).expected
        ('receipt',)
    """

    id: str
    obligation: str
    baseline: T
    variant: T
    relation: Relation
    expected: tuple[str, ...] = ()
    validity: Validity = Validity.UNREVIEWED
    provenance: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "expected", names(self.expected, f"case {self.id!r} expected"))
        check_label(self, "obligation", "finding id")
        if not all(self.expected) or len(set(self.expected)) != len(self.expected):
            raise InvalidValue(f"case {self.id!r} expected={self.expected!r}; expected nonempty ids, each once")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a case was read: a file, its parts separated by ``/``, and a line of it from 1, if that is known."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class AuditResult:
    """How one case ended, with the verdicts it rests on (None where none was given or asked for).

    ``source`` is known of cases that were read from a file. Readings are given of a sample of which
    the validator said different things; there is then no verdict on it.

    Examples:
        >>> case = AuditCase("none", "receipt", "R-17", "", Relation.VIOLATION, ("receipt",))
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> report = audit_validator(lambda text: Verdict(True), [case], obligations=[receipt], validator_id="none")
        >>> report.cases[0].outcome.value, report.cases[0].reason  # nobody stands for the label
        ('excluded', 'label_unreviewed')
    """

    id: str
    obligation: str
    relation: Relation
    validity: Validity
    provenance: str
    expected: tuple[str, ...]
    baseline_digest: str
    variant_digest: str
    outcome: Outcome
    reason: str
    baseline: Verdict | None = None
    variant: Verdict | None = None
    source: Source | None = None
    baseline_readings: tuple[Reading, ...] = ()
    variant_readings: tuple[Reading, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON data; source and readings are there where there are any."""
        data: dict[str, Any] = plain(self)
        return {key: value for key, value in data.items() if value or key not in _WHERE_GIVEN}


_WHERE_GIVEN = ("source", "baseline_readings", "variant_readings")


@dataclass(frozen=True, slots=True)
class Flip:
    """A sample, by its digest, of which the validator said different things, and the ids of its cases."""

    sample: str
    readings: tuple[Reading, ...]
    case_ids: tuple[str, ...]


Ending = tuple[Decision, Judgement | None, Judgement | None]
"""How a case ended, and what was said of its baseline and its variant, None where that was not asked."""


class _Ended(NamedTuple):
    """What thresholds are told of a case."""

    id: str
    relation: Relation
    outcome: Outcome
    reason: str


class _Unread:
    """A report whose results and digest are worked out when somebody reads them: counting needs neither."""

    __slots__ = ("_corpus", "_endings")

    def __getattr__(self, name: str) -> Any:
        """Fill in a field that has not been read before."""
        if name == "cases":
            value: Any = tuple(map(_result, self._corpus.cases, self._corpus.pairs, self._endings))
        elif name == "corpus_digest":
            value = self._corpus.digest
        else:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        object.__setattr__(self, name, value)
        return value


@dataclass(frozen=True, slots=True)
class ValidatorAuditReport(_Unread):
    """The results of an audit in case order, the obligations, and the digest of the cases.

    ``repeat`` is how often the validator was asked about each sample.

    Examples:
        >>> label = (Validity.VALID, "by hand")
        >>> case = AuditCase("none", "receipt", "R-17", "", Relation.VIOLATION, ("receipt",), *label)
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> report = audit_validator(lambda text: Verdict(True), [case], obligations=[receipt], validator_id="accepts")
        >>> report.summary()["obligations"][0]["assessment"].value
        'known_gaps'
    """

    validator_id: str
    obligations: tuple[Obligation, ...]
    cases: tuple[AuditResult, ...]
    corpus_digest: str
    schema_version: int = 2
    library_version: str = __version__
    provenance: GitProvenance | None = None
    repeat: int = 1

    def summary(self) -> dict[str, Any]:
        """Return totals, counts, rates (0 to 1, None where undefined) and the evidence by obligation."""
        cases, outcomes = self._outcomes()
        tested: dict[str, Counter[tuple[Relation, Outcome]]] = defaultdict(Counter)
        rows = zip(map(attrgetter("obligation"), cases), map(attrgetter("relation"), cases), outcomes, strict=True)
        for (obligation, relation, outcome), number in Counter(rows).items():
            tested[obligation][relation, outcome] += number
        ended = sum(tested.values(), Counter())
        found = rates(ended)
        return {
            "total": ended.total(),
            "counts": counts(by_outcome(ended)),
            "eligible_faults": found.faults,
            "detected_faults": found.detected,
            "detection_score": found.detection_score,
            "eligible_controls": found.controls,
            "preserved_controls": found.preserved,
            "preservation_rate": found.preservation_rate,
            "obligations": self._obligations(cases, tested),
        }

    def _outcomes(self) -> tuple[Sequence[AuditCase[Any] | AuditResult], Sequence[Outcome]]:
        """Return what has the label of each case, and how each ended."""
        endings = getattr(self, "_endings", None)
        if endings is None:
            return self.cases, [case.outcome for case in self.cases]
        return self._corpus.cases, [decision.outcome for decision, _, _ in endings]

    def _ended(self) -> Sequence[_Ended | AuditResult]:
        endings = getattr(self, "_endings", None)
        if endings is None:
            return self.cases
        return [
            _Ended(case.id, case.relation, ending[0].outcome, _reason(*ending))
            for case, ending in zip(self._corpus.cases, endings, strict=True)
        ]

    def _obligations(
        self,
        cases: Iterable[AuditCase[Any] | AuditResult],
        tested: Mapping[str, Counter[tuple[Relation, Outcome]]],
    ) -> list[dict[str, Any]]:
        ids: dict[str, list[str]] = defaultdict(list)
        for case in cases:
            ids[case.obligation].append(case.id)
        return [
            {
                **plain(obligation),
                **assess(tested[obligation.id]),
                "case_ids": ids[obligation.id],
            }
            for obligation in self.obligations
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON data, with its summary."""
        return {**self.head(), "cases": [case.to_dict() for case in self.cases], "summary": self.summary()}

    def head(self) -> dict[str, Any]:
        """Return what ``to_dict`` holds beside cases and summary; ``repeat`` is there where it is above 1."""
        data: dict[str, Any] = plain(replace(self, cases=()))
        return {key: value for key, value in data.items() if key != "cases" and (key != "repeat" or value > 1)}

    def flips(self) -> tuple[Flip, ...]:
        """Return the samples that did not get the same answer each time, with the cases that rest on them."""
        found: dict[tuple[str, tuple[Reading, ...]], list[str]] = defaultdict(list)
        for case in self.cases:
            for sample, readings in (
                (case.baseline_digest, case.baseline_readings),
                (case.variant_digest, case.variant_readings),
            ):
                if readings:
                    found[sample, readings].append(case.id)
        return tuple(Flip(sample, readings, tuple(ids)) for (sample, readings), ids in found.items())

    def to_markdown(self) -> str:
        """Return the report for people: what failed first, then every obligation and every case."""
        from .reports.markdown import audit_markdown

        return audit_markdown(self)

    def assert_thresholds(self, *, detection: float = 1.0, preservation: float = 1.0) -> None:
        """Do nothing if both rates reach their thresholds and the audit itself worked.

        Raises:
            AssertionError: a line per rate that is short or undefined, and per failing case as
                ``ID: OUTCOME (REASON)``.
        """
        lines = shortfalls(self._ended(), detection=detection, preservation=preservation)
        if lines:
            raise AssertionError("\n".join([f"MateProbe audit of {self.validator_id!r} failed:", *lines]))


def audit_validator(
    validator: Callable[[T], Judgement],
    cases: Iterable[AuditCase[T]],
    *,
    obligations: Iterable[Obligation],
    validator_id: str,
    provenance: GitProvenance | None = None,
    repeat: int = 1,
    ended: Callable[[Outcome], None] | None = None,
) -> ValidatorAuditReport:
    """Ask ``validator`` about the samples of every case and decide how each case ends.

    The validator sees a copy of each distinct sample, once, or ``repeat`` times: then one on which its
    answers differ has no verdict, so that no case that rests on it is detected or preserved. Samples of
    one content whose keys are in another order are asked about apart. A case whose label is not valid, or
    whose two samples are identical (the order of keys aside), never reaches it.

    Raises:
        InvalidValue: no cases, no obligations or no id; duplicate ids; a case of an unknown
            obligation; a sample JSON cannot hold; a ``repeat`` below 1. InvalidType: likewise for a type.

    Examples:
        >>> def asks_for_receipt(reply):
        ...     return Verdict(True) if reply["receipt"] else Verdict(False, ("receipt",))
        >>> good, label = {"receipt": "R-17", "amount": 40}, (Validity.VALID, "by hand")
        >>> fault, control = Relation.VIOLATION, Relation.PRESERVE
        >>> cases = [
        ...     AuditCase("none", "receipt", good, {**good, "receipt": ""}, fault, ("receipt",), *label),
        ...     AuditCase("other", "receipt", good, {**good, "receipt": "R-18"}, control, (), *label),
        ... ]
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> report = audit_validator(asks_for_receipt, cases, obligations=[receipt], validator_id="asks")
        >>> [case.outcome.value for case in report.cases]
        ['detected', 'preserved']
    """
    obligations, cases = tuple(obligations), tuple(cases)
    check_inventory(cases, obligations, validator_id)
    if type(repeat) is not int or repeat < 1:
        raise InvalidValue(f"repeat={repeat!r}; expected how often each sample is judged, 1 or more")
    corpus = Corpus(cases)
    if any(type(case) is not AuditCase for case in cases):
        _ = corpus.digest  # refuses what JSON cannot hold of the fields that are a user's own
    known: dict[Frozen, Judgement] = {}

    def judgement(frozen: Frozen, sample: T) -> Judgement:
        if isinstance(frozen, str) and repeat == 1:
            found = ask(validator, frozen)  # nobody can damage text
        elif isinstance(frozen, Text):
            found = judge_repeatedly(validator, sample, repeat)
        else:
            found = judge_repeatedly(validator, frozen, repeat, thaw)
        if isinstance(found, Verdict) and found.accepted and found.complete and not found.evidence:
            found = _ACCEPTED  # most are: one object for all of them
        known[frozen] = found
        return found

    endings: list[Ending] = []
    for case, (baseline, variant) in zip(cases, corpus.frozen, strict=True):
        texts = type(baseline) is type(variant) is str
        same = baseline == variant if texts else identical(case, baseline, variant)
        first = last = None
        decision = _early(case.relation, case.validity, same)
        if decision is None:
            first = known.get(baseline) or judgement(baseline, case.baseline)
            if first is not _ACCEPTED:
                decision = _early(case.relation, case.validity, same, judged(first))
        if decision is None:
            last = known.get(variant) or judgement(variant, case.variant)
            decision = _late(case.relation, judged(last), _named(case.expected, last))
        endings.append((decision, first, last))
        if ended:
            ended(decision.outcome)
    given = {"validator_id": validator_id, "obligations": obligations, "provenance": provenance, "repeat": repeat}
    return _unread(corpus, endings, **given)


def _unread(corpus: Corpus, endings: list[Ending], **given: Any) -> ValidatorAuditReport:
    report = ValidatorAuditReport.__new__(ValidatorAuditReport)
    rest = {"schema_version": 2, "library_version": __version__, **given}
    for name, value in {"_corpus": corpus, "_endings": endings, **rest}.items():
        object.__setattr__(report, name, value)
    return report


def report_verdict(report: Report) -> Verdict:
    """Return what a contract report says as a verdict: ids are ``RULE/CODE@SCOPE`` of violated checks.

    Under an advisory policy a report may be accepted and still hold violations, which a verdict
    cannot; the findings then stand in the evidence.

    Examples:
        >>> from mateprobe import Context, Document, RequiredFact, Surface, evaluate
        >>> document, context = Document((Surface("body", "Paid."),)), Context({"current": {"status": "open"}})
        >>> report_verdict(evaluate(document, context, [RequiredFact("paid", "status", "paid")])).violations
        ('paid/REQUIRED_FACT@state:current:status',)
    """
    ids = tuple(target.finding_id for target in violated(report))
    if report.accepted:
        return Verdict(accepted=True, complete=report.complete, evidence=ids)
    return Verdict(accepted=False, violations=ids, complete=report.complete)


def check_inventory(cases: tuple[AuditCase[T], ...], obligations: tuple[Obligation, ...], validator_id: str) -> None:
    """Do nothing if there are cases, obligations that hold each of them, and a validator id.

    Raises:
        InvalidValue, InvalidType: as ``audit_validator``.
    """
    if not isinstance(validator_id, str):
        raise InvalidType(f"validator_id={validator_id!r} has type {type(validator_id).__name__}; expected str")
    if not validator_id or not cases or not obligations:
        raise InvalidValue(
            f"validator_id={validator_id!r} with {len(cases)} cases and {len(obligations)} obligations: "
            "auditing nothing proves nothing; each must be nonempty"
        )
    ids = {obligation.id for obligation in obligations}
    if len(ids) != len(obligations):
        listed = [obligation.id for obligation in obligations]
        twice = next(id for id in listed if listed.count(id) > 1)
        raise InvalidValue(f"obligation {twice!r} is listed twice; ids must be unique")
    for case in cases:
        if case.obligation not in ids:
            raise InvalidValue(f"case {case.id!r} obligation={case.obligation!r}: {one_of(case.obligation, ids)}")


# A baseline as it should be; also stands in for one not yet asked, against which only the label or identity can speak.
_ACCEPTED = Verdict(accepted=True)
_CLEAN = judged(_ACCEPTED)


@cache  # called for every case: spares making facts of what has been decided before
def _early(relation: Relation, validity: Validity, identical: bool, baseline: Judged = _CLEAN) -> Decision | None:
    return without_variant(Facts(relation, validity, identical, baseline))


@cache
def _late(relation: Relation, variant: Judged, named: bool) -> Decision:
    return classify(Facts(relation, Validity.VALID, False, _CLEAN, variant, named))


def _named(expected: tuple[str, ...], judgement: Judgement) -> bool:
    if not isinstance(judgement, Verdict):
        return False
    return expected == judgement.violations or set(expected).issubset(judgement.violations)


def _reason(decision: Decision, baseline: Judgement | None, variant: Judgement | None) -> str:
    text: str = decision.reason.value
    for judgement in (baseline, variant):
        if isinstance(judgement, Failure):
            text = f"{decision.reason}: {judgement.message}"
    return text


def _result(case: AuditCase[Any], pair: Pair, ending: Ending) -> AuditResult:
    decision, baseline, variant = ending
    return AuditResult(
        id=case.id,
        obligation=case.obligation,
        relation=case.relation,
        validity=case.validity,
        provenance=case.provenance,
        expected=case.expected,
        baseline_digest=pair.baseline,
        variant_digest=pair.variant,
        outcome=decision.outcome,
        reason=_reason(decision, baseline, variant),
        baseline=_verdict(baseline),
        variant=_verdict(variant),
        baseline_readings=_readings(baseline),
        variant_readings=_readings(variant),
    )


def _verdict(judgement: Judgement | None) -> Verdict | None:
    return judgement if isinstance(judgement, Verdict) else None


def _readings(judgement: Judgement | None) -> tuple[Reading, ...]:
    return judgement.readings if isinstance(judgement, Failure) else ()
