"""What a pytest run found: the entries of its tests and how its studies stand, told once, by one process.

Under pytest-xdist it all comes from the workers, on pytest's own reports. What a worker that died was
asked is an error, and a case that nobody was asked about is listed as such: nothing is missing.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ._version import __version__

if TYPE_CHECKING:
    from .model import Report
    from .mutations import CampaignReport
    from .report_file import ReportFile
    from .validator_audit import AuditResult, ValidatorAuditReport

FORMAT, VERSION = "mateprobe.pytest", 2
RESULTS = ("met", "unmet", "error")

UNUSABLE, INCOMPLETE = "unusable", "incomplete"
"""How a study may stand beside what ``Standing`` knows: it cannot be read; not all of its cases were evaluated."""

RESULT = pytest.StashKey[str]()
"""How the case of an item ended, as text that may pass between processes, from the moment that is known."""

_SHOWN = 20
"""Cases that are told one by one where a gate is not met."""


def entry(
    test: str | None,
    kind: str,
    result: str,
    message: str | None,
    *,
    thresholds: Mapping[str, float] | None = None,
    report: Report | CampaignReport | ValidatorAuditReport | None = None,
) -> dict[str, Any]:
    """Return what the report of a run says of one call of the fixture."""
    return {
        "test": test,
        "kind": kind,
        "result": result,
        "message": message,
        "thresholds": thresholds,
        "report": report,
    }


@dataclass(frozen=True, slots=True)
class Stood:
    """How a study stands at the end of a run.

    Attributes:
        study: the id of its node.
        standing: that of its gate, or ``UNUSABLE``, or ``INCOMPLETE``.
        message: the same for people.
        missing: the ids of cases that were not evaluated, and why: ``deselected`` or ``not run``.
        file: the report of those that were.
    """

    study: str
    standing: str
    message: str
    missing: Mapping[str, str]
    file: ReportFile | None = None

    @property
    def well(self) -> bool:
        """Whether a run may end well: the gate is met, or nothing is missing but what was deselected."""
        return self.standing == "met" or (self.standing == INCOMPLETE and {*self.missing.values()} <= {"deselected"})

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "study": self.study,
            "standing": self.standing,
            "message": self.message,
            "not_evaluated": dict(self.missing),
            "report": self.file and self.file.to_dict(),
        }

    def forgiven(self) -> list[str]:
        """Return a line for each wrong answer that is no failure by itself, but leaves the gate not met."""
        from .outcome import GAPS
        from .reports.markdown import told

        if self.file is None or self.standing != "not_met":
            return []
        gate = self.file.gate
        return [
            f"  {case.id} ({case.obligation}): {told(case)}"
            for case in self.file.report.cases
            if case.outcome in GAPS and gate.forgives(case.relation)
        ]


class Collected:
    """Gathers what a run found; tells how its studies stand, and writes the report, when it ends.

    Args:
        config: of the run.
        path: of the report, if one is wanted.
        is_study: tells whether a path is that of a study.
    """

    def __init__(self, config: pytest.Config, path: Path | None, is_study: Callable[[Path], bool]) -> None:
        self._config = config
        self._path = path
        self._is_study = is_study
        self._entries: list[dict[str, Any]] = []
        self._lost: dict[str, dict[str, Any]] = {}
        self._crashed: dict[str, str] = {}
        self._selected: dict[str, set[str]] = {}
        self._results: dict[str, dict[int, AuditResult]] = defaultdict(dict)
        self._stood: list[Stood] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note which cases are to run."""
        self._select(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Iterable[str]) -> None:
        """Note which cases are to run, which is the same in each worker."""
        self._select(ids)

    def _select(self, ids: Iterable[str]) -> None:
        others = set()
        for id in ids:
            file = id.partition("::")[0]
            if file in others:
                continue
            if file not in self._selected and not self._is_study(self._config.rootpath / file):
                others.add(file)
                continue
            self._selected.setdefault(file, set()).add(id)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Take what a report carries."""
        self._entries.extend(map(json.loads, getattr(report, "mateprobe_entries", ())))
        if hasattr(report, "mateprobe_result"):
            from .pytest_study import received

            position, result = received(report.mateprobe_result)
            self._results[report.nodeid.partition("::")[0]][position] = result

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Note that a worker died."""
        if error is not None:
            message = f"worker {node.gateway.id} was lost: {error}; what it was asked last is not known"
            self._lost[node.gateway.id] = entry(None, "worker", "error", message)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any) -> None:
        """Note in which test it died."""
        worker = report.node.gateway.id
        self._lost[worker]["test"] = crashitem
        self._crashed[crashitem] = f"worker {worker} was lost"

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Hold the studies against their gates, which may fail the run, and write the report."""
        self._stood = [self._stand(study) for study in sorted({*self._selected, *self._unmet()})]
        collecting = self._config.getoption("collectonly")
        if session.exitstatus == pytest.ExitCode.OK and not collecting and not all(each.well for each in self._stood):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        result = yield  # others may still change the exit status
        if self._path is not None:
            self._write(self._path, int(session.exitstatus))
        return result

    def _unmet(self) -> Iterable[str]:
        """Yield the ids of studies that were asked for and of which no case is to run."""
        root = self._config.rootpath
        met = {(root / study).resolve() for study in self._selected}
        for name in self._config.getoption("--mateprobe-study"):
            path = self._config.invocation_params.dir / name
            if path.resolve() not in met:
                yield Path(os.path.relpath(path, root)).as_posix()

    def _stand(self, study: str) -> Stood:
        from .errors import MateProbeError
        from .pytest_study import audit_of, lost, name_of

        try:
            audit = audit_of(self._config, study)
        except (MateProbeError, OSError) as error:
            return Stood(study, UNUSABLE, str(error), {})
        results, selected = self._results[study], self._selected.get(study, set())
        missing = {}
        for position, case in enumerate(audit.cases.cases):
            id = f"{study}::{name_of(case)}"
            if position not in results and id in self._crashed:
                results[position] = audit.ended(position, lost(self._crashed[id]))
            elif position not in results:
                missing[case.id] = "not run" if id in selected else "deselected"
        file = audit.of(results) if results else None
        if missing or file is None:
            message = f"not judged: {len(results)} of {len(audit.cases.cases)} cases were evaluated"
            return Stood(study, INCOMPLETE, message, missing, file)
        return Stood(study, file.held.standing, str(file.held), missing, file)

    def _write(self, path: Path, status: int) -> None:
        from .reports.output import json_text, write_whole

        entries = sorted([*self._entries, *self._lost.values()], key=lambda entry: entry["test"] or "")
        count = Counter(entry["result"] for entry in entries)
        data = {
            "format": FORMAT,
            "version": VERSION,
            "library_version": __version__,
            "exit_status": status,
            "counts": {result: count[result] for result in RESULTS},
            "entries": entries,
            "studies": [each.to_dict() for each in self._stood],
        }
        try:
            write_whole(path, json_text(data))
        except OSError as error:
            raise pytest.exit.Exception(
                f"--mateprobe-report={path}: {error.strerror}", pytest.ExitCode.USAGE_ERROR
            ) from None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell how the studies stand."""
        told = [each for each in self._stood if each.standing != UNUSABLE]  # of that, pytest tells as it collects
        if not told or self._config.getoption("collectonly"):
            return
        terminalreporter.section("mateprobe")
        for each in told:
            colour = {"yellow" if each.standing == INCOMPLETE else "green" if each.well else "red": True}
            terminalreporter.write_line(f"{each.study}: {each.message}", **colour)
            forgiven = each.forgiven()
            for line in forgiven[:_SHOWN]:
                terminalreporter.write_line(line)
            if len(forgiven) > _SHOWN:
                terminalreporter.write_line(f"  … and {len(forgiven) - _SHOWN} more")
