"""Ask about plain pairs with one tool and with bare loops, in turn; print, as JSON, the user CPU of each.

    python loop_worker.py TOOL VALIDATOR PAIRS ROUNDS

A finder is a function of a sample that returns the ids of what it found. The bare loop calls it twice a pair and
counts; every tool is given the same samples, ready made, and must count the same. A tool's validator makes the
tool's verdict of what is found; where a tool takes a function of a sample, a second bare loop calls that one.
"""

from __future__ import annotations

import gc
import json
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

Order = dict[str, Any]
Pair = tuple[Any, Any, str]
"""Baseline, variant and the id that must be found in the variant; "" for a control."""
Finder = Callable[[Any], list[str]]

ID = re.compile(r"R-\d{6}")
STATES = {"open", "paid", "sent"}


def order(number: int, **changes: Any) -> Order:
    """Return an order of two items that is right but for the changes."""
    items = [{"sku": f"A{number}", "price": 30, "count": 1}, {"sku": "B7", "price": 5, "count": 2}]
    return {"id": f"R-{number:06}", "status": "paid", "total": 40, "items": items, "note": "Thank you.", **changes}


def pairs(number: int, form: Callable[[Order], Any]) -> list[Pair]:
    """Return faults and controls in turn, samples in some form; no two pairs share a sample."""
    return [
        (form(order(n)), form(order(n, total=4000)), "total")
        if n % 2
        else (form(order(n)), form(order(n, note="On its way.")), "")
        for n in range(number)
    ]


def one_rule(given: Order) -> list[str]:
    """Look at the total alone."""
    return [] if given["total"] < 1000 else ["total"]


def five_rules(given: Order) -> list[str]:
    """Look at the id, the state, the sum, the items and the note."""
    found = []
    if not ID.fullmatch(given["id"]):
        found.append("id")
    if given["status"] not in STATES:
        found.append("status")
    if given["total"] != sum(item["price"] * item["count"] for item in given["items"]):
        found.append("total")
    if not all(item["sku"] and item["count"] > 0 for item in given["items"]):
        found.append("items")
    if not given["note"].strip():
        found.append("note")
    return found


def one_rule_of_text(text: str) -> list[str]:
    """Look for the total in the text alone."""
    return [] if '"total": 40,' in text else ["total"]


def five_rules_of_text(text: str) -> list[str]:
    """Parse the order and apply the five rules."""
    return five_rules(json.loads(text))


VALIDATORS: dict[str, tuple[Finder, Callable[[Order], Any]]] = {
    "five_rules_of_text": (five_rules_of_text, json.dumps),
    "one_rule_of_text": (one_rule_of_text, json.dumps),
    "five_rules": (five_rules, dict),
    "one_rule": (one_rule, dict),
}
"""Each with the form its samples have."""

Way = Callable[[], tuple[int, int]]
"""One way to ask about all pairs, and to count detected faults and preserved controls."""


def bare(given: Sequence[Pair], find: Finder) -> tuple[int, int]:
    """Count detected faults and preserved controls, and nothing else."""
    detected = preserved = 0
    for baseline, variant, expected in given:
        if not find(baseline):
            found = find(variant)
            if expected:
                detected += expected in found
            else:
                preserved += not found
    return detected, preserved


def by_audit(given: Sequence[Pair], find: Finder) -> dict[str, Way]:
    """``audit_validator`` of ``mateprobe``: ours or the published one, whichever this Python has."""
    from mateprobe import validator_audit as tool

    cases = [
        tool.AuditCase(
            f"c{n}", "order", baseline, variant, tool.Relation.VIOLATION if expected else tool.Relation.PRESERVE,
            (expected,) if expected else (), tool.Validity.VALID, "by hand",
        )
        for n, (baseline, variant, expected) in enumerate(given)
    ]  # fmt: skip

    def validator(sample: Order) -> Any:
        found = find(sample)
        return tool.Verdict(not found, tuple(found))

    def run() -> tuple[int, int]:
        obligations = [tool.Obligation("order", "An order is right.")]
        summary = tool.audit_validator(validator, cases, obligations=obligations, validator_id="v").summary()
        return summary["detected_faults"], summary["preserved_controls"]

    def alone() -> tuple[int, int]:
        detected = preserved = 0
        for baseline, variant, expected in given:
            if validator(baseline).accepted:
                found = validator(variant)
                if expected:
                    detected += expected in found.violations
                else:
                    preserved += found.accepted
        return detected, preserved

    return {"tool": run, "validator": alone}


def by_evalmut(given: Sequence[Pair], find: Finder) -> dict[str, Way]:
    """``evalmut.run``: a case a pair, its one operator puts the variant in the baseline's place."""
    import evalmut  # type: ignore[import-not-found]
    from gradecore import GradeInput, Verdict  # type: ignore[import-not-found]

    def grader(sample: Any) -> Any:
        found = find(sample.tool_calls[0])
        return Verdict(not found, float(not found), "high" if found else "none", ",".join(found), "order")

    inputs = {str(n): GradeInput("", tool_calls=(variant,)) for n, (_, variant, _) in enumerate(given)}
    suites: dict[str, list[Any]] = {"DEFECT": [], "EQUIVALENT": []}
    for n, (baseline, _, expected) in enumerate(given):
        good = GradeInput("", tool_calls=(baseline,))
        case = evalmut.EvalCase(str(n), grader, good, judges=("tool_calls",))
        suites["DEFECT" if expected else "EQUIVALENT"].append(case)
    operators = {
        polarity: evalmut.operator(
            "variant", family="order", polarity=evalmut.Polarity[polarity], defect_shape="by hand",
            real_origin="by hand", field="tool_calls",
        )(lambda case: inputs[case.name])
        for polarity in suites
    }  # fmt: skip

    def run() -> tuple[int, int]:
        counted = []
        for polarity, suite in suites.items():
            report = evalmut.run(suite, [operators[polarity]])
            counted.append(report.total.caught)
        return counted[0], counted[1]

    return {"tool": run}


TEST_FILE = """
import pytest
from loop_worker import VALIDATORS, pairs

FIND, FORM = VALIDATORS[{validator!r}]
PAIRS = pairs({number}, FORM)


@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_pair(number):
    baseline, variant, expected = PAIRS[number]
    assert not FIND(baseline)
    if expected:
        assert expected in FIND(variant)
    else:
        assert not FIND(variant)
"""


def by_pytest(given: Sequence[Pair], find: Finder) -> dict[str, Way]:
    """A test a pair, in a process of its own, without tracebacks and plugins; its start counts."""
    faults = sum(bool(expected) for _, _, expected in given)

    def run() -> tuple[int, int]:
        with TemporaryDirectory() as folder:
            text = TEST_FILE.format(validator=find.__name__, number=len(given))
            test = Path(folder, "test_pairs.py")
            test.write_text(text, "utf-8")
            command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "--rootdir", folder]
            environment = {"PYTHONPATH": str(Path(__file__).parent), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
            done = subprocess.run([*command, str(test)], env=environment, capture_output=True, text=True, check=True)
        if f"{len(given)} passed" not in done.stdout:
            sys.exit(done.stdout)
        return faults, len(given) - faults

    return {"tool": run}


TOOLS = {"audit": by_audit, "evalmut": by_evalmut, "pytest": by_pytest}


def main(tool: str, validator: str, number: str, rounds: str) -> None:
    """Measure in turn, print."""
    find, form = VALIDATORS[validator]
    given = pairs(int(number), form)
    ways = {"finder": lambda: bare(given, find), **TOOLS[tool](given, find)}
    gc.collect()
    gc.freeze()  # else a collection would look at all the pairs, now and then
    used: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(int(rounds)):
        for name, way in ways.items():
            before = _user()
            counted = way()
            used[name].append(_user() - before)
            if counted != (len(given) // 2, len(given) - len(given) // 2):
                sys.exit(f"{tool}, {name}: counts {counted} of {len(given)} pairs")
    print(json.dumps(used))


def _user() -> float:
    """Seconds of user CPU of this process and the children it has waited for."""
    return sum(resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


if __name__ == "__main__":
    main(*sys.argv[1:])
