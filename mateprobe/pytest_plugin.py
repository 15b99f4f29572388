"""The pytest plugin: contracts, campaigns and validator audits as assertions, and one report of them all.

What a test asked for travels with pytest's own report on that test. Under pytest-xdist those reports
come from the workers as each test ends, so one way serves any number of processes, and a worker that
dies takes along no more than the test it was in, which then has an entry that says so.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from ._version import __version__
from .engine import describe, evaluate
from .mutations import audit
from .validator_audit import audit_validator

if TYPE_CHECKING:
    from .engine import Contract
    from .model import Context, Document, Policy, Report
    from .mutations import CampaignReport, MutationCase
    from .provenance import GitProvenance
    from .validator_audit import AuditCase, Obligation, ValidatorAuditReport, Verdict

    AnyReport = Report | CampaignReport | ValidatorAuditReport

T = TypeVar("T")
R = TypeVar("R", "Report", "CampaignReport", "ValidatorAuditReport")

FORMAT, VERSION = "mateprobe.pytest", 1
RESULTS = ("met", "unmet", "error")

_OPTION = "--mateprobe-report"
_ENTRIES = pytest.StashKey[list[str]]()


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
        detection: float = 1.0,
        preservation: float = 1.0,
    ) -> ValidatorAuditReport:
        """Audit a validator and return the report; thresholds are shares from 0 to 1.

        Raises:
            AssertionError: a threshold is not met. MateProbeError: as ``validator_audit.audit_validator``.
        """
        __tracebackhide__ = True
        thresholds = {"detection": detection, "preservation": preservation}
        return self._met(
            "audit_validator",
            thresholds,
            lambda: audit_validator(
                validator, cases, obligations=obligations, validator_id=validator_id, provenance=provenance
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
            self._record(_entry(self._test, kind, "error", describe(error), thresholds=thresholds))
            raise
        try:
            insist(report)
        except AssertionError as error:
            self._record(_entry(self._test, kind, "unmet", str(error), thresholds=thresholds, report=report))
            raise
        self._record(_entry(self._test, kind, "met", None, thresholds=thresholds, report=report))
        return report

    def _record(self, entry: dict[str, Any]) -> None:
        if self._entries is not None:  # as text, and in ASCII: it may have to pass between processes
            report = entry["report"]
            self._entries.append(json.dumps({**entry, "report": report and report.to_dict()}))


def _entry(
    test: str | None,
    kind: str,
    result: str,
    message: str | None,
    *,
    thresholds: Mapping[str, float] | None = None,
    report: AnyReport | None = None,
) -> dict[str, Any]:
    return {
        "test": test,
        "kind": kind,
        "result": result,
        "message": message,
        "thresholds": thresholds,
        "report": report,
    }


@pytest.fixture
def mateprobe(request: pytest.FixtureRequest) -> MateProbe:
    """Check documents, run campaigns and audit validators; each call is recorded, then asserted."""
    entries: list[str] | None = None
    if request.config.getoption(_OPTION) is not None:
        entries = request.node.stash[_ENTRIES] = []
    return MateProbe(request.node.nodeid, entries)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--mateprobe-report``."""
    parser.getgroup("mateprobe", "audits of validators").addoption(
        _OPTION, metavar="PATH", help="write what the mateprobe fixture was asked, and the answers, to a JSON file"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Start collecting if a report is wanted, in the one process that writes it.

    Raises:
        pytest.UsageError: nothing could be written to the path.
    """
    path = config.getoption(_OPTION)
    if path is None or hasattr(config, "workerinput"):
        return
    target = config.invocation_params.dir / path
    if target.is_dir():
        raise pytest.UsageError(f"{_OPTION}={path}: expected the path of a file, found a folder")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise pytest.UsageError(
            f"{_OPTION}={path}: expected a folder that can be written to, found none; make it first"
        )
    config.pluginmanager.register(_Collector(target), "mateprobe-report")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Let the last report on a test carry its entries."""
    report = yield
    if call.when == "teardown" and _ENTRIES in item.stash:
        report.mateprobe_entries = item.stash[_ENTRIES]
    return report


class _Collector:
    """Gathers the entries of a run and writes them, ordered by test, when it ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: list[dict[str, Any]] = []
        self._lost: dict[str, dict[str, Any]] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._entries.extend(map(json.loads, getattr(report, "mateprobe_entries", ())))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        if error is not None:
            message = f"worker {node.gateway.id} was lost: {error}; what it was asked last is not known"
            self._lost[node.gateway.id] = _entry(None, "worker", "error", message)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any) -> None:
        self._lost[report.node.gateway.id]["test"] = crashitem

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, Any, Any]:
        from .reports.output import json_text, write_whole

        result = yield  # others may still change the exit status
        entries = sorted([*self._entries, *self._lost.values()], key=lambda entry: entry["test"] or "")
        count = Counter(entry["result"] for entry in entries)
        data = {
            "format": FORMAT,
            "version": VERSION,
            "library_version": __version__,
            "exit_status": int(session.exitstatus),
            "counts": {result: count[result] for result in RESULTS},
            "entries": entries,
        }
        try:
            write_whole(self._path, json_text(data))
        except OSError as error:
            raise pytest.exit.Exception(
                f"{_OPTION}={self._path}: {error.strerror}", pytest.ExitCode.USAGE_ERROR
            ) from None
        return result
