"""A study that needs the core alone: one file with obligations, cases, a validator and a gate.

    {"obligations": [{"id", "description", "scope"?}, …],
     "cases": [{…}, …] or {"file": "cases.csv"},
     "validator": {"callable": "module:function"} or {"command": ["python", "check.py"]},
     "gate": {"detection": 1.0, "preservation": 1.0}}

As JSON, as TOML, or as JSON lines, where the first line has everything but the cases and each further
line is one. Files, modules and programs are looked for in the folder of the file. Other keys: ``title``,
for people; of a validator ``id``, and of a command ``seconds``, ``memory_mb`` and ``runs``, the programs it
may start. Without a gate both thresholds are 1.

A command is confined: it reads the folder of the file and writes nowhere. A function runs in this process, as
in a test: it is code of whoever runs the audit.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from . import strict_json
from .beside import file_below, function_below, function_of, is_file, module_below
from .canonical import digest
from .case_file import CaseFile, load_cases, read_array, read_case
from .command import PYTHON, Command, Limits, Reach
from .corpus import Corpus
from .decoding import Misfit, Reader, instance, read, shown, wrong
from .errors import InvalidValue, StudyError
from .gate import EVERYTHING, Gate
from .line_numbers import json_lines, toml_lines
from .outcome import Outcome
from .report_file import ReportFile
from .runner import Validator
from .shards import part_of
from .validator_audit import (
    AuditCase,
    AuditResult,
    Obligation,
    Source,
    ValidatorAuditReport,
    audit_validator,
    check_inventory,
)

# The time tomllib takes for a key grows with the cube of its parts: ten thousand of them take a quarter of a minute.
_LONG_KEY = re.compile(rb"(?<![\w'\"-])(?:[\w'\"-]+[ \t]*\.[ \t]*){%d}" % strict_json.DEPTH)


Watch = Callable[[int], AbstractContextManager[Callable[[Outcome], None] | None]]


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
class FunctionAnywhere(Function):
    """A validator that is a function, of a module in the folder or wherever else Python finds it."""

    @contextmanager
    def opened(self, folder: Path) -> Iterator[Validator]:
        """Yield the function.

        Raises:
            StudyError: as ``function_below``, or as ``function_of``.
        """
        beside = module_below(folder, self.callable.partition(":")[0])
        yield function_below(folder, self.callable) if beside else function_of(self.callable)


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
    runs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.command or not self.command[0] or self.seconds <= 0 or self.memory_mb <= 0:
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
        reach = Reach((str(folder.absolute()),), self.runs)
        program = Command(located(self.command, folder), Limits(self.seconds, self.memory_mb), reach)
        with closing(program):
            yield lambda sample: program.ask(digest(sample), sample)


@dataclass(frozen=True, slots=True)
class AuditFile:
    """What is to be audited, with which cases, and what must come out."""

    folder: Path
    validator: Function | Program
    cases: CaseFile
    gate: Gate = EVERYTHING
    source: str = field(default="", compare=False)

    def run(
        self,
        *,
        repeat: int = 1,
        shard: tuple[int, int] | None = None,
        watch: Watch | None = None,
    ) -> ReportFile:
        """Ask the validator about every case, or those of one shard.

        Args:
            repeat: how often it is asked about each sample.
            shard: its number, from 1, and how many there are.
            watch: shows how far it is; given how many cases there are, it yields what is told of each how it ended.

        Raises:
            StudyError: the validator is not to be had. InvalidValue, InvalidType: as ``audit_validator``.
        """
        cases = self.cases.cases
        part = None if shard is None else part_of((case.id for case in cases), *shard)
        positions = range(len(cases)) if part is None else part.positions
        with watch(len(positions)) if watch else nullcontext() as ended:
            report = self._report([cases[position] for position in positions], repeat, ended)
        results = tuple(map(self._placed, report.cases, positions))
        return ReportFile(replace(report, cases=results), self.gate, part)

    def _report(
        self, cases: Sequence[AuditCase[Any]], repeat: int, ended: Callable[[Outcome], None] | None
    ) -> ValidatorAuditReport:
        name, obligations = self.validator.name, self.cases.obligations
        if not cases:  # of a shard that got none, which its report must say
            return ValidatorAuditReport(name, obligations, (), Corpus(self.cases.cases).digest, repeat=repeat)
        with self.validator.opened(self.folder) as ask:
            report = audit_validator(ask, cases, obligations=obligations, validator_id=name, repeat=repeat, ended=ended)
        if len(cases) == len(self.cases.cases):
            return report
        return replace(report, corpus_digest=Corpus(self.cases.cases).digest)

    def ended(self, position: int, ask: Validator) -> AuditResult:
        """Ask a validator about one case, by its place among all, and return how it ends."""
        case, obligations = self.cases.cases[position], self.cases.obligations
        report = audit_validator(ask, [case], obligations=obligations, validator_id=self.validator.name)
        return self._placed(report.cases[0], position)

    def of(self, results: Mapping[int, AuditResult]) -> ReportFile:
        """Return the report of cases that ended one by one, by their places; of all, it is that of ``run``."""
        places = sorted(results)
        report = ValidatorAuditReport(
            self.validator.name,
            self.cases.obligations,
            tuple(results[place] for place in places),
            Corpus([self.cases.cases[place] for place in places]).digest,
        )
        return ReportFile(report, self.gate)

    def check(self) -> None:
        """Do nothing if every case can be asked about.

        Raises:
            InvalidValue, InvalidType: as ``audit_validator``.
        """
        check_inventory(self.cases.cases, self.cases.obligations, self.validator.name)
        Corpus(self.cases.cases)

    def _placed(self, result: AuditResult, position: int) -> AuditResult:
        lines = self.cases.lines
        return replace(result, source=Source(self.source, lines[position] if lines else None))


def located(command: tuple[str, ...], folder: Path) -> list[str]:
    """Return a command that can be started from anywhere: files of the folder are named in full."""
    first, *rest = command
    program = sys.executable if first == PYTHON else _located(first, folder) if "/" in first else first
    return [program, *(_located(argument, folder) for argument in rest)]


def _located(argument: str, folder: Path) -> str:
    path = folder / argument
    return str(path.absolute()) if is_file(path) else argument


def load_audit(path: Path) -> AuditFile:
    """Return the audit that a file describes.

    Raises:
        InvalidValue, InvalidType: a missing or unknown key, a value of another type, a case that does not
            say what it must. StudyError: a path that leaves the folder. The message names the file and the
            key or line.
        OSError: it cannot be read.
    """
    where, folder = str(path), path.parent
    if path.suffix == ".jsonl":
        rows = strict_json.lines(path)
        number, first = next(rows, (1, None))
        head = read(_HEAD, first, f"{where}, line {number}: $")
        numbered = [(line, read(read_case, case, f"{where}, line {line}: $")) for line, case in rows]
        cases = CaseFile(tuple(case for _, case in numbered), lines=tuple(line for line, _ in numbered))
        return _audit(path, head, cases, path)
    data = _toml(path) if path.suffix == ".toml" else strict_json.load(path)
    whole = read(instance(_Whole, cases=partial(_cases, folder), **_SPECIAL), data, f"{where}: $")
    if type(data["cases"]) is dict:
        return _audit(path, whole, whole.cases, folder / data["cases"]["file"])
    lines = (toml_lines if path.suffix == ".toml" else json_lines)(path.read_text("utf-8"), "cases")
    listed = whole.cases.cases
    return _audit(path, whole, CaseFile(listed, lines=lines if len(lines) == len(listed) else ()), path)


def audit_of_cases(path: Path, validator: str) -> AuditFile:
    """Return the audit of a function, ``module:function``, with a file of cases; it must get all of them right.

    Raises:
        InvalidValue, InvalidType: as ``load_cases``.
        OSError: it cannot be read.
    """
    return AuditFile(path.parent, FunctionAnywhere(validator), load_cases(path), source=_as_seen(path))


def _audit(path: Path, head: _Head, cases: CaseFile, source: Path) -> AuditFile:
    obligations = head.obligations or cases.obligations
    return AuditFile(
        path.parent, head.validator, CaseFile(cases.cases, obligations, cases.lines), head.gate, _as_seen(source)
    )


def _as_seen(path: Path) -> str:
    """Return the path from the working folder, which is how others find it; the name alone if it is elsewhere."""
    seen = Path(os.path.relpath(path))
    return path.name if ".." in seen.parts or seen.is_absolute() else seen.as_posix()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    validator: Function | Program
    obligations: tuple[Obligation, ...] = ()
    gate: Gate = EVERYTHING
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole(_Head):
    cases: CaseFile


def _cases(folder: Path, value: Any) -> CaseFile:
    if type(value) is list:
        return CaseFile(read_array(value))
    if type(value) is not dict or value.keys() != {"file"} or type(value["file"]) is not str:
        raise wrong("an array of cases, or an object with the one key 'file'", value)
    try:
        path = file_below(folder, value["file"], "file")
    except StudyError as error:
        raise Misfit(StudyError, str(error)) from None
    return load_cases(path)


_FORMS: Mapping[str, Reader] = {"callable": instance(Function), "command": instance(Program)}


def _validator(value: Any) -> Function | Program:
    if type(value) is not dict:
        raise wrong("an object", value)
    given = [form for form in _FORMS if form in value]
    if len(given) != 1:
        found = ", ".join(map(shown, value)) or "no keys"
        raise Misfit(InvalidValue, f"expected exactly one of the keys 'callable' and 'command', found {found}")
    validator: Function | Program = _FORMS[given[0]](value)
    return validator


_SPECIAL: Mapping[str, Reader] = {"validator": _validator}
_HEAD = instance(_Head, **_SPECIAL)


def _toml(path: Path) -> Any:
    """Return the content of a TOML file as JSON data, read as strictly."""
    import tomllib

    with path.open("rb") as stream:
        data = strict_json.within_limit(stream.read(strict_json.LIMIT + 1), str(path))
    if _LONG_KEY.search(data):
        raise InvalidValue(f"{path}: expected keys of at most {strict_json.DEPTH} parts, found one of more; use tables")
    try:
        text = json.dumps(tomllib.loads(data.decode()), allow_nan=False, default=_no_json)
    except (ValueError, RecursionError) as error:
        raise InvalidValue(f"{path}: expected TOML whose values JSON can hold: {error}") from None
    return strict_json.loads(text, str(path))


def _no_json(value: Any) -> NoReturn:
    raise ValueError(f"{value} is a {type(value).__name__}; write it as text")
