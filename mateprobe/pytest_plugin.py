"""The pytest plugin: contracts, campaigns and audits as assertions, studies as tests, and one report of them all.

What a test asked for travels with pytest's own report on that test. Under pytest-xdist those reports
come from the workers as each test ends, so one way serves any number of processes, and a worker that
dies takes along no more than the test it was in, which then has an entry that says so.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from .engine import describe, evaluate
from .mutations import audit
from .pytest_report import RESULT, Collected, entry
from .validator_audit import audit_validator

if TYPE_CHECKING:
    from .engine import Contract
    from .model import Context, Document, Policy, Report
    from .mutations import CampaignReport, MutationCase
    from .provenance import GitProvenance
    from .validator_audit import AuditCase, Obligation, ValidatorAuditReport, Verdict

T = TypeVar("T")
R = TypeVar("R", "Report", "CampaignReport", "ValidatorAuditReport")

_REPORT, _STUDY, _VALIDATOR = "--mateprobe-report", "--mateprobe-study", "--mateprobe-validator"
_ENTRIES = pytest.StashKey[list[str]]()
_ENTERED = pytest.StashKey[set[Path]]()


class MateProbe:
    """What the ``mateprobe`` fixture gives a test: each method makes a report, records it, then asserts."""

    def __init__(self, test: str, entries: list[str] | None) -> None:
        self._test = test
        self._entries = entries

    def check(
        self, document: Document, context: Context, contracts: Iterable[Contract], policy: Policy | None = None
    ) -> Report:
        """Evaluate a document and return the report.

        Raises:
            AssertionError: it is not accepted. MateProbeError: as ``engine.evaluate``.
        """
        __tracebackhide__ = True
        return self._met(
            "check",
            None,
            lambda: evaluate(document, context, contracts, policy),
            lambda report: report.assert_accepted(),
        )

    def audit(
        self,
        cases: Iterable[MutationCase],
        contracts: Iterable[Contract],
        policy: Policy | None = None,
        detection: float = 1.0,
        preservation: float = 1.0,
    ) -> CampaignReport:
        """Run a mutation campaign and return its report; thresholds are shares from 0 to 1.

        Raises:
            AssertionError: a threshold is not met. MateProbeError: as ``mutations.audit``.
        """
        __tracebackhide__ = True
        thresholds = {"detection": detection, "preservation": preservation}
        return self._met(
            "audit",
            thresholds,
            lambda: audit(cases, contracts, policy),
            lambda report: report.assert_thresholds(**thresholds),
        )

    def audit_validator(
        self,
        validator: Callable[[T], Verdict],
        cases: Iterable[AuditCase[T]],
        *,
        obligations: Iterable[Obligation],
        validator_id: str,
        provenance: GitProvenance | None = None,
        repeat: int = 1,
        detection: float = 1.0,
        preservation: float = 1.0,
    ) -> ValidatorAuditReport:
        """Audit a validator, asked ``repeat`` times, and return the report; thresholds are shares from 0 to 1.

        Raises:
            AssertionError: a threshold is not met. MateProbeError: as ``validator_audit.audit_validator``.
        """
        __tracebackhide__ = True
        thresholds = {"detection": detection, "preservation": preservation}
        return self._met(
            "audit_validator",
            thresholds,
            lambda: audit_validator(
                validator,
                cases,
                obligations=obligations,
                validator_id=validator_id,
                provenance=provenance,
                repeat=repeat,
            ),
            lambda report: report.assert_thresholds(**thresholds),
        )

    def _met(
        self,
        kind: str,
        thresholds: Mapping[str, float] | None,
        make: Callable[[], R],
        insist: Callable[[R], None],
    ) -> R:
        __tracebackhide__ = True
        try:
            report = make()
        except Exception as error:
            self._record(entry(self._test, kind, "error", describe(error), thresholds=thresholds))
            raise
        try:
            insist(report)
        except AssertionError as error:
            self._record(entry(self._test, kind, "unmet", str(error), thresholds=thresholds, report=report))
            raise
        self._record(entry(self._test, kind, "met", None, thresholds=thresholds, report=report))
        return report

    def _record(self, told: dict[str, Any]) -> None:
        if self._entries is not None:  # as text, and in ASCII: it may have to pass between processes
            report = told["report"]
            self._entries.append(json.dumps({**told, "report": report and report.to_dict()}))


@pytest.fixture
def mateprobe(request: pytest.FixtureRequest) -> MateProbe:
    """Check documents, run campaigns and audit validators; each call is recorded, then asserted."""
    entries: list[str] | None = None
    if request.config.getoption(_REPORT) is not None:
        entries = request.node.stash[_ENTRIES] = []
    return MateProbe(request.node.nodeid, entries)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, which all begin with ``--mateprobe-``, and the keys of a configuration file."""
    group = parser.getgroup("mateprobe", "audits of validators")
    group.addoption(
        _STUDY, metavar="FILE", action="append", default=[], help="collect a study, a test for each case: what "
        "`mateprobe audit FILE` takes, or with --mateprobe-validator a file of cases; may be given again",
    )  # fmt: skip
    group.addoption(
        _VALIDATOR, metavar="MODULE:FUNCTION", help="ask this function about the cases: studies are files of cases"
    )
    group.addoption(
        _REPORT, metavar="PATH", help="write what tests and studies asked for, and the answers, to a JSON file"
    )
    parser.addini(
        "mateprobe_studies", "files that are studies wherever pytest comes across them: patterns, from the root folder",
        type="linelist", default=[],
    )  # fmt: skip
    parser.addini("mateprobe_validator", f"as {_VALIDATOR}", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Take the studies among what is collected, and start gathering, in the one process that tells how they stand.

    Raises:
        pytest.UsageError: there is no such study, or nothing could be written to the path of the report.
    """
    config.addinivalue_line(
        "markers", "mateprobe(obligation, relation, case): on each case of a study, so that -m can choose among them"
    )
    started = config.invocation_params.dir
    studies = [started / name for name in config.getoption(_STUDY)]
    for name, study in zip(config.getoption(_STUDY), studies, strict=True):
        if not study.is_file():
            raise pytest.UsageError(f"{_STUDY}={name}: expected a file with a study, found none")
    config.args += [str(study) for study in studies if not _is_met(study, config)]
    path = config.getoption(_REPORT)
    if not hasattr(config, "workerinput") and (path is not None or studies or config.getini("mateprobe_studies")):
        report = None if path is None else _writable(path, started)
        config.pluginmanager.register(Collected(config, report, partial(is_study, config)), "mateprobe-report")


def _is_met(study: Path, config: pytest.Config) -> bool:
    """Tell whether pytest comes across a study anyway: one of its arguments is the study, or a case of it."""
    arguments = {(config.invocation_params.dir / str(each).partition("::")[0]).resolve() for each in config.args}
    own = study.resolve()
    # Before 9, of a folder and a file in it pytest collects the file alone; it is then met in the folder.
    return own in arguments or (pytest.version_tuple < (9,) and any(each in arguments for each in own.parents))


def _writable(path: str, started: Path) -> Path:
    target = started / path
    if target.is_dir():
        raise pytest.UsageError(f"{_REPORT}={path}: expected the path of a file, found a folder")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise pytest.UsageError(
            f"{_REPORT}={path}: expected a folder that can be written to, found none; make it first"
        )
    return target


def _named(config: pytest.Config) -> list[Path]:
    """Return the studies that options name, links followed."""
    return [(config.invocation_params.dir / name).resolve() for name in config.getoption(_STUDY)]


def is_study(config: pytest.Config, path: Path) -> bool:
    """Tell whether a file was named as a study, or is one by a pattern."""
    if path.resolve() in _named(config):
        return True
    patterns = config.getini("mateprobe_studies")
    if not patterns or not path.is_relative_to(config.rootpath):
        return False
    return any(path.relative_to(config.rootpath).match(pattern) for pattern in patterns)


@pytest.hookimpl(wrapper=True)
def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> Generator[None, Any, Any]:
    """Let pytest into a folder that it would pass by, such as ``build``, for a study in it and for nothing else."""
    ignored = yield
    named = _named(config)
    if not named:
        return ignored
    path = collection_path.resolve()
    on_the_way = any(study.is_relative_to(path) for study in named)
    entered = config.stash.setdefault(_ENTERED, set())
    if on_the_way and (ignored or path.parent in entered):
        entered.add(path)
        return False
    return True if path.parent in entered else ignored


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a study."""
    if not is_study(parent.config, file_path):
        return None
    from .pytest_study import StudyFile

    return StudyFile.from_parent(parent, path=file_path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Let the last report on a test carry its entries, and that on a case how it ended."""
    report = yield
    if call.when == "teardown":
        if _ENTRIES in item.stash:
            report.mateprobe_entries = item.stash[_ENTRIES]
        if RESULT in item.stash:
            report.mateprobe_result = item.stash[RESULT]
    return report
