"""Studies as pytest collects them: an item for each case of an audit file, or of a file of cases.

``audit.toml::amount[too much]`` is the case ``too much`` of the obligation ``amount``. A wrong answer is a
failure; one that the gate of the file may forgive, because it asks for less than every case of the kind, is
an expected failure. No usable answer is an error, and a case that does not count is skipped.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from .audit_file import AuditFile, audit_of_cases, load_audit
from .corpus import Frozen, freeze
from .decoding import read
from .errors import MateProbeError
from .outcome import GAPS, INCOMPLETE, Outcome
from .pytest_report import RESULT
from .report_file import read_result
from .reports.markdown import reported, told
from .reports.sample_diff import sample_diff
from .runner import Failure, Judgement, Origin, Validator, judge
from .validator_audit import AuditCase, AuditResult
from .visible import visible

_AUDITS = pytest.StashKey[dict[str, AuditFile]]()


def audit_of(config: pytest.Config, study: str) -> AuditFile:
    """Return the audit of a study, by the id of its node; it is read once in a process.

    Raises:
        MateProbeError, OSError: as ``load_audit``, or as ``load_cases``.
    """
    known = config.stash.setdefault(_AUDITS, {})
    if study not in known:
        path = Path(os.path.relpath(config.rootpath / study))
        validator = config.getoption("--mateprobe-validator") or config.getini("mateprobe_validator")
        audit = audit_of_cases(path, validator) if validator else load_audit(path)
        audit.check()
        known[study] = audit
    return known[study]


def name_of(case: AuditCase[Any]) -> str:
    """Return the name of a case's item: obligation and id, in which what ends a name or a line is escaped."""
    obligation, id = _BOUNDS.sub(_escaped, _printable(case.obligation)), _BANNED.sub(_escaped, _printable(case.id))
    return f"{obligation}[{id}]"


_BOUNDS = re.compile(r"\[|:(?=:)")
_BANNED = re.compile(r":(?=:\(\))")  # pytest refuses ids of nodes with ::()


def _escaped(found: re.Match[str]) -> str:
    return f"\\x{ord(found[0]):02x}"


def _printable(text: str) -> str:
    return "".join(
        character if character.isprintable() and character != "\\" else character.encode("unicode_escape").decode()
        for character in text
    )


class StudyFile(pytest.File):
    """A file with a study; the validator is there as long as the run."""

    audit: AuditFile
    ask: Validator

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for every case, in the order of the file.

        Raises:
            CollectError: the file cannot be used, or the validator is not to be had.
        """
        stack = ExitStack()
        self.config.add_cleanup(stack.close)
        try:
            self.audit = audit_of(self.config, self.nodeid)
            self.ask = _once(stack.enter_context(self.audit.validator.opened(self.audit.folder)))
        except (MateProbeError, OSError) as error:
            raise self.CollectError(visible(str(error))) from None
        for position, case in enumerate(self.audit.cases.cases):
            name = name_of(case)  # pytest 9 takes an id apart, and the brackets only of one that it is given
            yield StudyCase.from_parent(self, name=name, nodeid=f"{self.nodeid}::{name}", position=position)


def _once(validator: Validator) -> Callable[[Any], Judgement]:
    """Return a validator that is asked about each sample once, however many cases share it."""
    known: dict[Frozen, Judgement] = {}

    def ask(sample: Any) -> Judgement:
        key = freeze(sample)
        if key not in known:
            known[key] = judge(validator, sample)
        return known[key]

    return ask


class StudyCase(pytest.Item):
    """A case of a study. It is asked about when it is set up, so that no usable answer is an error, not a failure."""

    def __init__(self, *, position: int, **rest: Any) -> None:
        super().__init__(**rest)
        self._position = position
        self._result: AuditResult
        case = self._case
        self.add_marker(pytest.mark.mateprobe(obligation=case.obligation, relation=case.relation.value, case=case.id))

    @property
    def _study(self) -> StudyFile:
        assert isinstance(self.parent, StudyFile)  # noqa: S101 - made by its `collect` alone
        return self.parent

    @property
    def _case(self) -> AuditCase[Any]:
        return self._study.audit.cases.cases[self._position]

    def setup(self) -> None:
        """Ask the validator."""
        result = self._result = self._study.audit.ended(self._position, self._study.ask)
        self.stash[RESULT] = json.dumps([self._position, result.to_dict()])
        if result.outcome is Outcome.EXCLUDED:
            pytest.skip(result.reason)
        if result.outcome in INCOMPLETE:
            pytest.fail(_explained(self._case, result), pytrace=False)

    def runtest(self) -> None:
        """Pass if the answer was the wanted one."""
        result = self._result
        if result.outcome not in GAPS:
            return
        explained = _explained(self._case, result)
        if self._study.audit.gate.forgives(result.relation):
            pytest.xfail(explained)
        pytest.fail(explained, pytrace=False)  # with --runxfail also what may be wrong

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the place of the case, for those that can jump there, and its name."""
        audit = self._study.audit
        source = Path(audit.source).absolute()
        if not source.is_file():  # it lies outside of the working folder, which is all that others find it from
            return self.path, None, self.name
        return source, audit.cases.lines[self._position] - 1 if audit.cases.lines else None, self.name


def _explained(case: AuditCase[Any], result: AuditResult) -> str:
    """Return what a failure shows: the case, what was expected and reported, how its samples differ."""
    lines = [
        f"{case.id}: {told(result)}",
        f"obligation: {case.obligation}",
        f"expected: {', '.join(case.expected) or 'acceptance'}",
        f"reported: {reported(result)}",
        *(["at: " + str(result.source)] if result.source else []),
        "baseline → variant:",
        *(f"  {line}" for line in sample_diff(case.baseline, case.variant)),
    ]
    return visible("\n".join(lines))


def received(text: str) -> tuple[int, AuditResult]:
    """Return the place of a case and how it ended, from what a report carries."""
    position, result = json.loads(text)
    return position, read(read_result, result, "$")


def lost(message: str) -> Validator:
    """Return a validator that gives no answer, and why: it stands for one whose answer did not arrive."""
    return lambda _: Failure(Origin.VALIDATOR, message)
