"""A study that needs the core alone: one file with obligations, cases, a validator and a gate.

    {"obligations": [{"id", "description", "scope"?}, …],
     "cases": [{…}, …] or {"file": "cases.csv"},
     "validator": {"callable": "module:function"} or {"command": ["python", "check.py"]},
     "gate": {"detection": 1.0, "preservation": 1.0}}

As JSON, as TOML, or as JSON lines, where the first line has everything but the cases and each further
line is one. Files, modules and programs are looked for in the folder of the file. Other keys: ``title``,
for people; of a validator ``id``, and of a command ``seconds`` and ``memory_mb``. Without a gate both
thresholds are 1.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import strict_json
from .beside import file_below, function_below
from .case_file import CaseFile, load_cases, read_array, read_obligations
from .command import Command, Limits
from .decoding import Misfit, Reader, instance, read, reader, wrong
from .errors import InvalidType, InvalidValue
from .outcome import FATAL, INELIGIBLE
from .runner import Validator
from .tally import shortfalls
from .validator_audit import Obligation, ValidatorAuditReport, audit_validator

PYTHON = "python"
"""As a command's program: the Python that runs the audit."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What an audit must reach: shares from 0 to 1 of eligible faults detected and of controls preserved.

    Raises:
        InvalidValue: a threshold outside of 0 to 1.
    """

    detection: float = 1.0
    preservation: float = 1.0

    def __post_init__(self) -> None:
        for name, threshold in (("detection", self.detection), ("preservation", self.preservation)):
            if not 0 <= threshold <= 1:
                raise InvalidValue(f"{name}={threshold}: expected a share from 0 to 1")

    def shortfalls(self, report: ValidatorAuditReport) -> list[str]:
        """Return a line for each threshold that is missed, and for each case that made it so."""
        return shortfalls(report.cases, detection=self.detection, preservation=self.preservation)


@dataclass(frozen=True, slots=True)
class Function:
    """A validator that is a function, called with a sample and returning a ``Verdict``."""

    callable: str
    id: str = ""

    @property
    def name(self) -> str:
        """What the report calls it."""
        return self.id or self.callable

    @contextmanager
    def opened(self, folder: Path) -> Iterator[Validator]:
        """Yield the function.

        Raises:
            StudyError: as ``function_below``.
        """
        yield function_below(folder, self.callable)


@dataclass(frozen=True, slots=True)
class Program:
    """A validator that is a command, asked as ``command`` describes.

    Raises:
        InvalidValue: no command, or a limit that is not above 0.
    """

    command: tuple[str, ...]
    id: str = ""
    seconds: float = Limits().seconds
    memory_mb: int = Limits().memory_mb

    def __post_init__(self) -> None:
        if not all(self.command[:1]) or not self.command or self.seconds <= 0 or self.memory_mb <= 0:
            raise InvalidValue(
                f"command={[*self.command]}, seconds={self.seconds}, memory_mb={self.memory_mb}: "
                "expected a program and limits above 0"
            )

    @property
    def name(self) -> str:
        """What the report calls it."""
        return self.id or " ".join(self.command)

    @contextmanager
    def opened(self, folder: Path) -> Iterator[Validator]:
        """Yield a function that asks the program, which ends with the block.

        Raises:
            StudyError: as ``Command``.
        """
        program = Command(located(self.command, folder), Limits(self.seconds, self.memory_mb))
        try:
            yield program.asked
        finally:
            program.close()


@dataclass(frozen=True, slots=True)
class AuditFile:
    """What is to be audited, with which cases, and what must come out."""

    folder: Path
    validator: Function | Program
    cases: CaseFile
    gate: Gate = field(default_factory=Gate)

    def run(self) -> ValidatorAuditReport:
        """Ask the validator about every case.

        Raises:
            StudyError: the validator is not to be had. InvalidValue, InvalidType: as ``audit_validator``.
        """
        with self.validator.opened(self.folder) as ask:
            return audit_validator(
                ask, self.cases.cases, obligations=self.cases.obligations, validator_id=self.validator.name
            )


def counted(report: ValidatorAuditReport) -> int:
    """Return how many cases say something of the validator; excluded ones and failed baselines do not."""
    return sum(case.outcome not in INELIGIBLE for case in report.cases)


def failed(report: ValidatorAuditReport) -> bool:
    """Tell whether the audit itself did not work: the validator or a baseline failed."""
    return any(case.outcome in FATAL for case in report.cases)


def located(command: tuple[str, ...], folder: Path) -> list[str]:
    """Return a command that can be started from anywhere: files below the folder are named in full."""
    first, *rest = command
    program = sys.executable if first == PYTHON else _located(first, folder) if "/" in first else first
    return [program, *(_located(argument, folder) for argument in rest)]


def _located(argument: str, folder: Path) -> str:
    path = folder / argument
    inside = argument and path.is_file() and path.resolve().is_relative_to(folder.resolve())
    return str(path.absolute()) if inside else argument


def load_audit(path: Path) -> AuditFile:
    """Return the audit that a file describes.

    Raises:
        InvalidValue, InvalidType: a missing or unknown key, a value of another type, a case that says
            not what it must. StudyError: a path that leaves the folder. The message names the file and
            the key or line.
        OSError: it cannot be read.
    """
    where = str(path)
    if path.suffix == ".jsonl":
        lines = strict_json.lines(path)
        number, head = next(lines, (1, None))
        cases = tuple(read(_a_case, case, f"{where}, line {line}: $")[0] for line, case in lines)
        return read(_Reading(path.parent, cases).lines, head, f"{where}, line {number}: $")
    data = _toml(path) if path.suffix == ".toml" else strict_json.load(path)
    return read(_Reading(path.parent).whole, data, f"{where}: $")
