"""Run a validator on samples: what it said is a value, and so is every way it can fail."""

from __future__ import annotations

import copy
import pickle
import traceback
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from .classify import Evidence, Judged
from .engine import describe
from .errors import InvalidType, InvalidValue
from .model import names


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a validator says of one sample.

    ``violations`` are the ids of what it found; ``complete`` is False where it could not look at
    everything; ``evidence`` is free text.

    Raises:
        InvalidType: a flag that is no bool, a bare string for a sequence.
        InvalidValue: an empty or repeated id, or an accepted verdict with violations.

    Examples:
        >>> Verdict(False, ("receipt",)).complete
        True
    """

    accepted: bool
    violations: tuple[str, ...] = ()
    complete: bool = True
    evidence: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (type(self.accepted) is type(self.complete) is bool):
            raise InvalidType(f"verdict accepted={self.accepted!r}, complete={self.complete!r}; expected True or False")
        if self.violations.__class__ is not tuple or self.violations:
            object.__setattr__(self, "violations", names(self.violations, "verdict violations"))
            self._check_violations()
        if self.evidence.__class__ is not tuple or self.evidence:
            object.__setattr__(self, "evidence", names(self.evidence, "verdict evidence"))

    def _check_violations(self) -> None:
        if self.violations and self.accepted:
            raise InvalidValue(f"verdict accepted=True has violations={self.violations!r}; a finding must reject")
        if not all(self.violations) or len(set(self.violations)) != len(self.violations):
            raise InvalidValue(f"verdict violations={self.violations!r}; expected nonempty ids, each once")


class Origin(StrEnum):
    """Whose code failed."""

    VALIDATOR = "validator"
    ADAPTER = "adapter"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class Reading:
    """Something a validator said of a sample that it was asked about more than once, and how often."""

    said: str
    times: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A validator (or the code around it) failed on a sample.

    ``trace`` is for people: it holds paths, so it never enters an artifact or a comparison.
    ``readings`` are what the validator said, where it said different things of the one sample.
    """

    origin: Origin
    message: str
    trace: str = field(default="", compare=False, repr=False)
    readings: tuple[Reading, ...] = ()

    @classmethod
    def of(cls, error: BaseException, origin: Origin) -> Failure:
        """Return the failure of an exception, without letting its own text do harm."""
        try:
            trace = "".join(traceback.format_exception(error))
        except Exception:  # noqa: BLE001 - the text of a foreign exception is foreign code
            trace = ""
        return cls(origin, describe(error), trace)


Judgement = Verdict | Failure
Validator = Callable[[Any], Judgement]


def duplicate(sample: Any) -> Any:
    """Return a deep copy that its receiver may damage.

    Raises:
        Exception: whatever copying the sample raises, when neither way of copying works.
    """
    try:
        return pickle.loads(pickle.dumps(sample, protocol=pickle.HIGHEST_PROTOCOL))  # noqa: S301 (our own bytes)
    except Exception:  # noqa: BLE001 - whatever stops pickle, deepcopy has its own way
        return copy.deepcopy(sample)


def judge(validator: Validator, sample: Any, copied: Callable[[Any], Any] = duplicate) -> Judgement:
    """Ask ``validator`` about a copy of ``sample``; anything but a ``Verdict`` is a failure.

    One that stands for a program returns the program's ``Failure``. Only ``KeyboardInterrupt`` passes through.
    """
    try:
        own = copied(sample)
    except Exception as error:  # noqa: BLE001 - a failure is a value here
        return Failure.of(error, Origin.COPY)
    return ask(validator, own)


def ask(validator: Validator, own: Any) -> Judgement:
    """Ask ``validator`` as ``judge`` does about a sample that is its own: it may damage it."""
    try:
        verdict = validator(own)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - not even sys.exit() may end the audit
        return Failure.of(error, Origin.VALIDATOR)
    if type(verdict) is Verdict or type(verdict) is Failure:
        return verdict
    return _adopt(verdict)


def judge_repeatedly(
    validator: Validator, sample: Any, times: int, copied: Callable[[Any], Any] = duplicate
) -> Judgement:
    """Ask ``validator`` about ``sample`` so many times, as ``judge`` does; answers that differ are a failure.

    Two answers differ if one accepts and the other does not, if one is complete and the other is not, if
    they name other ids, or if only one of them is a failure. What they give as evidence may differ.
    """
    if times == 1:
        return judge(validator, sample, copied)
    alike: dict[Hashable, list[Judgement]] = {}
    for _ in range(times):
        answer = judge(validator, sample, copied)
        alike.setdefault(_decisive(answer), []).append(answer)
    if len(alike) == 1:
        return next(iter(alike.values()))[0]
    readings = tuple(Reading(_told(answers[0]), len(answers)) for answers in alike.values())
    return Failure(Origin.VALIDATOR, undecided(readings[0].said, readings[1].said), readings=readings)


def undecided(first: str, then: str) -> str:
    """Return what is said of a validator that gave two answers on one sample: it has no verdict on it."""
    return f"not deterministic: {first} at first, then {then}"


def said(*, accepted: bool, complete: bool, violations: Sequence[str], error: str | None) -> str:
    """Return an answer in a few words."""
    if error is not None:
        return f"error {error!r:.200}"
    what = "accepted" if accepted else f"rejected {[*violations]}"
    return what if complete else f"{what}, incomplete"


def _told(answer: Judgement) -> str:
    if isinstance(answer, Failure):
        return said(accepted=False, complete=False, violations=(), error=answer.message)
    return said(accepted=answer.accepted, complete=answer.complete, violations=answer.violations, error=None)


def _decisive(answer: Judgement) -> Hashable:
    """Return what of an answer can decide how a case ends."""
    if isinstance(answer, Failure):
        return Evidence.ERROR
    return answer.accepted, answer.complete, frozenset(answer.violations)


def _adopt(verdict: Any) -> Judgement:
    if not isinstance(verdict, Verdict):
        problem = InvalidType(f"validator returned a {type(verdict).__name__}; expected mateprobe Verdict")
        return Failure.of(problem, Origin.ADAPTER)
    try:  # a subclass may override what it reports: keep what it says once, as a plain Verdict
        return Verdict(verdict.accepted, verdict.violations, verdict.complete, verdict.evidence)
    except Exception as error:  # noqa: BLE001 - a failure is a value here
        return Failure.of(error, Origin.ADAPTER)


def judged(judgement: Judgement) -> Judged:
    """Reduce a judgement to what the decision table looks at."""
    if isinstance(judgement, Verdict):
        return _JUDGED[judgement.complete][judgement.accepted]
    return _FAILED


_JUDGED = tuple(
    tuple(Judged(evidence, accepted) for accepted in (False, True))
    for evidence in (Evidence.INCOMPLETE, Evidence.COMPLETE)
)
"""By whether a verdict is complete and whether it accepts."""
_FAILED = Judged(Evidence.ERROR, accepted=False)
