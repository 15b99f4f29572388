"""The tables of the report: one place that knows each table's columns and where its rows come from.

A row function takes one study's artifact and yields rows. None stands for what is undefined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mateprobe.pipeline.records import RecordFile

Row = Sequence[Any]
UNDEFINED = "undefined"
NOT_EVALUATED = "not evaluated"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in JSON and CSV, its heading for people, and whether its values are shares."""

    name: str
    heading: str
    share: bool = False

    def shown(self, value: Any) -> str:
        """Return a value for people: shares as percentages, counts with thousands separators."""
        if isinstance(value, float) and self.share:
            return f"{value:.1%}"
        if isinstance(value, int) and not isinstance(value, bool):
            return f"{value:,}"
        return str(value)


@dataclass(frozen=True, slots=True)
class Table:
    """A table: what it shows, its columns, the artifact of each study it reads, and its rows."""

    title: str
    columns: tuple[Column, ...]
    artifact: str
    rows: Callable[[Any], Iterator[Row]]

    def inputs(self, study: str, validators: Sequence[str]) -> list[str]:
        """Return the artifacts of a study the table is made from: one, or one a validator."""
        if self.artifact == "outcomes":
            return [f"results/{study}/outcomes/{validator}.jsonl" for validator in validators]
        return [f"results/{study}/{self.artifact}.json"]


def _share(part: int, whole: int) -> str | None:
    """Return ``part/whole`` as a reader would check it, or None where there is nothing to count."""
    return f"{part}/{whole}" if whole else None


def _validators(summary: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for id in summary["order"]:
        yield id, summary["validators"][id]


def _feasibility(summary: Mapping[str, Any]) -> Iterator[Row]:
    for id, validator in _validators(summary):
        binary = validator["binary"]
        counts = [binary[key] for key in ("tp", "fn", "fp", "tn")]
        shares = [binary[key] for key in ("precision", "recall", "valid_acceptance")]
        yield [summary["study"], id, *counts, *shares]


def _controlled(summary: Mapping[str, Any]) -> Iterator[Row]:
    for id, validator in _validators(summary):
        boolean = validator["readings"]["boolean"]
        other = [f"{n} {word}" for word, n in validator["counts"].items() if word not in ("detected", "preserved")]
        yield [
            id,
            _share(boolean["detected_faults"], boolean["eligible_faults"]),
            _share(validator["detected_faults"], validator["eligible_faults"]),
            _share(validator["preserved_controls"], validator["eligible_controls"]),
            ", ".join(other),
            validator["disagreements"],
        ]


def _ablations(summary: Mapping[str, Any]) -> Iterator[Row]:
    for id, validator in _validators(summary):
        faults, eligible = validator["faults"], validator["eligible_faults"]
        detected, errors = validator["detected_faults"], faults.get("error", 0)
        known = eligible - faults.get("undetermined", 0)
        yield [
            id,
            _share(detected, eligible),
            _share(detected + errors, eligible),
            _share(detected, known),
            _share(validator["binary"]["tp"], sum(faults.values()) - faults.get("excluded", 0)),
            _share(validator["preserved_controls"], validator["eligible_controls"]),
            None,
        ]


def _expanded(summary: Mapping[str, Any]) -> Iterator[Row]:
    for id, validator in _validators(summary):
        for kind, figures in [*validator["kinds"].items(), ("all", validator)]:
            counts = figures["counts"]
            yield [
                summary["study"],
                id,
                kind,
                sum(counts.values()),
                figures["eligible_faults"],
                figures["detected_faults"],
                counts.get("survived", 0),
                figures["eligible_controls"],
                figures["preserved_controls"],
                counts.get("regressed", 0),
                counts.get("excluded", 0),
                figures["detection_score"],
                figures["preservation_rate"],
            ]


def _confusion(summary: Mapping[str, Any]) -> Iterator[Row]:
    for id, validator in _validators(summary):
        for entry in validator["attribution"]["matrix"]:
            yield [summary["study"], id, entry["expected"], entry["reported"], entry["cases"]]


def _attribution(summary: Mapping[str, Any]) -> Iterator[Row]:
    for id, validator in _validators(summary):
        found = validator["attribution"]
        surplus = dict.fromkeys(("violation", "preserve"), 0)
        for entry in found["unexpected"]:
            surplus[entry["relation"]] += entry["cases"]
        yield [
            summary["study"],
            id,
            validator["detection_score"],
            found["precision"],
            found["reported_on_faults"],
            found["expected_among_them"],
            surplus["violation"],
            surplus["preserve"],
        ]


def _error_policies(summary: Mapping[str, Any]) -> Iterator[Row]:
    for id, validator in _validators(summary):
        policies = validator["error_policies"]
        shares = [policies[policy] for policy in ("miss", "dropped", "detection")]
        yield [summary["study"], id, validator["eligible_faults"], policies["without_verdict"], *shares]


def _support(outcomes: RecordFile) -> Iterator[Row]:
    for row in outcomes:
        expected = ", ".join(row["expected"]) or "acceptance"
        reported = ", ".join(row["reported"]) or row["variant"]
        shown = [row["family"], outcomes.header["validator"], row["obligation"], expected, reported]
        yield [*shown, row["outcome"], row["provenance"]]


def _source_mutations(outcomes: RecordFile) -> Iterator[Row]:
    words = {"detected": "killed", "unattributed_rejection": "exception"}
    for row in outcomes:
        tests = [id for id in row["reported"] if "::" in id]
        shown = "; ".join(tests[:3]) + f"; and {len(tests) - 3} more" * (len(tests) > 3)
        outcome = words.get(row["outcome"], row["outcome"])
        yield [row["id"], row["group"], row["obligation"], outcome, len(tests), shown or None]


def _model_outputs(summary: Mapping[str, Any]) -> Iterator[Row]:
    strict = summary["validators"]["strict"]["samples"]
    for model, found in strict.items():
        evaluated = found["statuses"].get("evaluated", 0)
        accepted = [
            summary["validators"][validator]["samples"][model]["said"].get("accepted", 0)
            if evaluated
            else NOT_EVALUATED
            for validator in ("declaration", "strict", "heuristic", "length")
        ]
        codes: Counter[str] = Counter()
        for id, number in found["findings"].items():
            codes[id.partition("/")[2].partition("@")[0]] += number
        findings = ", ".join(f"{number} {code}" for code, number in sorted(codes.items())) or "none"
        recorded = found["recorded"]
        yield [
            summary["study"],
            model,
            found["attempts"],
            evaluated,
            *accepted,
            findings if evaluated else NOT_EVALUATED,
            recorded["output_tokens"]["total"] if "output_tokens" in recorded else None,
            round(recorded["wall_seconds"]["median"], 2) if "wall_seconds" in recorded else None,
        ]


def _structure_failures(summary: Mapping[str, Any]) -> Iterator[Row]:
    for model, found in summary["validators"]["strict"]["samples"].items():
        for status, number in found["statuses"].items():
            if status != "invalid_structure":
                yield [summary["study"], model, status, "", number]
        for problem, number in found["kinds"].items():
            kind, _, what = problem.partition(": ")
            yield [summary["study"], model, kind, what, number]


def _output_mutations(outcomes: RecordFile) -> Iterator[Row]:
    ended: dict[tuple[str, str, str], Counter[str]] = {}
    for row in outcomes:
        lane = row["about"]["lane"]
        outcome = "invalid_structure" if row["reported"] == ["structure"] else row["outcome"]
        for part, name in (("lane", lane), ("model", row["about"]["model"]), ("operator", row["family"])):
            ended.setdefault((part, name, lane), Counter())[outcome] += 1
    for (part, name, lane), counts in sorted(ended.items()):
        excluded = counts["excluded"]
        shown = [counts[outcome] for outcome in ("detected", "invalid_structure", "preserved", "survived")]
        other = sum(counts.values()) - excluded - sum(shown)
        yield [part, name, lane, sum(counts.values()), sum(counts.values()) - excluded, *shown, other, excluded]


def _output_findings(outcomes: RecordFile) -> Iterator[Row]:
    cases: Counter[tuple[str, str]] = Counter()
    findings: Counter[tuple[str, str]] = Counter()
    expected: set[tuple[str, str]] = set()
    for row in outcomes:
        expected |= {(row["family"], id) for id in row["expected"]}
        for id in row["reported"]:
            cases[row["family"], id] += 1
            findings[row["family"], id] += row.get("repeated", {}).get(id, 1)
    for family, id in sorted(cases.keys() | expected):
        wanted = "yes" if (family, id) in expected else "no"
        yield [family, id, wanted, cases[family, id], findings[family, id]]


def _fixes(fixes: Mapping[str, Any]) -> Iterator[Row]:
    for fix in fixes["fixes"]:
        ends = [fix["ends"][role][release] for role in ("trigger", "control") for release in ("before", "after")]
        yield [fix["issue"], fix["before"], fix["after"], *ends, "yes" if fix["fix_reproduced"] else "no"]


def _screening(fixes: Mapping[str, Any]) -> Iterator[Row]:
    for candidate in fixes["screened"]:
        yield [candidate["issue"], "yes" if candidate["included"] else "no", candidate["reason"]]


def _agreement(agreement: Mapping[str, Any]) -> Iterator[Row]:
    differences = len(agreement["differences"])
    yield [agreement["study"], agreement["frozen"], agreement["cases"], agreement["values"], differences]


_STUDY, _VALIDATOR = Column("study", "Study"), Column("validator", "Validator")

_FIXES = (
    Column("issue", "Report"),
    Column("before", "Release before the fix"),
    Column("after", "After"),
    Column("trigger_before", "Trigger before"),
    Column("trigger_after", "Trigger after"),
    Column("control_before", "Control before"),
    Column("control_after", "Control after"),
    Column("reproduced", "Fix reproduced"),
)

TABLES: Mapping[str, Table] = {
    "feasibility": Table(
        "Feasibility: each validator's verdict on the variants, by rejection alone",
        (
            _STUDY,
            _VALIDATOR,
            Column("tp", "TP"),
            Column("fn", "FN"),
            Column("fp", "FP"),
            Column("tn", "TN"),
            Column("precision", "Precision", share=True),
            Column("recall", "Recall", share=True),
            Column("valid_acceptance", "Valid-variant acceptance", share=True),
        ),
        "summary",
        _feasibility,
    ),
    "expanded": Table(
        "Expanded campaign: attributed outcomes by kind of rule",
        (
            _STUDY,
            _VALIDATOR,
            Column("kind", "Kind"),
            Column("cases", "Cases"),
            Column("faults", "Eligible faults"),
            Column("detected", "Detected"),
            Column("survived", "Survived"),
            Column("controls", "Eligible controls"),
            Column("preserved", "Preserved"),
            Column("regressed", "Regressed"),
            Column("excluded", "Excluded"),
            Column("detection", "Detection", share=True),
            Column("preservation", "Preservation", share=True),
        ),
        "summary",
        _expanded,
    ),
    "support": Table(
        "Customer support: every boundary case of the refund policy",
        (
            Column("case", "Case"),
            _VALIDATOR,
            Column("obligation", "Obligation"),
            Column("expected", "Expected"),
            Column("reported", "Came out"),
            Column("outcome", "Outcome"),
            Column("note", "What it shows"),
        ),
        "outcomes",
        _support,
    ),
    "controlled": Table(
        "Controlled study: one set of observations, read three ways",
        (
            Column("profile", "Profile"),
            Column("boolean", "Boolean detections"),
            Column("attributed", "Attributed detections"),
            Column("controls", "Preserved controls"),
            Column("other", "Other outcomes"),
            Column("disagreements", "Detailed assertions against audit: disagreements"),
        ),
        "summary",
        _controlled,
    ),
    "ablations": Table(
        "Ablations: what each validator's figures would be if a part of the accounting were left out",
        (
            Column("profile", "Profile"),
            Column("detection", "Detection, sound"),
            Column("errors_credited", "Errors credited"),
            Column("unknowns_hidden", "Unknowns hidden"),
            Column("baselines_ignored", "Baselines ignored"),
            Column("preservation", "Preservation, sound"),
            Column("without_controls", "Without controls"),
        ),
        "summary",
        _ablations,
    ),
    "confusion": Table(
        "Expected against reported finding ids, eligible cases",
        (
            _STUDY,
            _VALIDATOR,
            Column("expected", "Expected"),
            Column("reported", "Reported"),
            Column("cases", "Cases"),
        ),
        "summary",
        _confusion,
    ),
    "attribution": Table(
        "Attribution: detection beside the precision of the ids reported on faults",
        (
            _STUDY,
            _VALIDATOR,
            Column("detection", "Detection", share=True),
            Column("precision", "Attribution precision", share=True),
            Column("reported", "Ids reported on faults"),
            Column("expected", "Expected among them"),
            Column("unexpected_on_faults", "Unexpected on faults"),
            Column("unexpected_on_controls", "Unexpected on controls"),
        ),
        "summary",
        _attribution,
    ),
    "error_policies": Table(
        "Detection under three error policies; only the first is sound",
        (
            _STUDY,
            _VALIDATOR,
            Column("faults", "Eligible faults"),
            Column("without_verdict", "Errors and unknowns"),
            Column("miss", "Counted as misses (sound)", share=True),
            Column("dropped", "Dropped (unsound)", share=True),
            Column("detection", "Counted as detections (unsound)", share=True),
        ),
        "summary",
        _error_policies,
    ),
    "source_mutations": Table(
        "Source mutations: which tests of the core kill which edit of its source",
        (
            Column("mutation", "Mutation"),
            Column("file", "File"),
            Column("obligation", "Broken obligation"),
            Column("outcome", "Outcome"),
            Column("tests", "Killing tests"),
            Column("killed_by", "Killed by a failing assertion of"),
        ),
        "outcomes",
        _source_mutations,
    ),
    "model_outputs": Table(
        "Recorded model outputs: how far they came, and what each profile accepts; acceptance is not accuracy",
        (
            _STUDY,
            Column("model", "Model"),
            Column("requests", "Requests"),
            Column("valid", "Structurally valid"),
            Column("declaration", "Declaration accepted"),
            Column("strict", "Strict accepted"),
            Column("heuristic", "Heuristic accepted"),
            Column("length", "Length accepted"),
            Column("findings", "Findings"),
            Column("output_tokens", "Output tokens"),
            Column("median_seconds", "Recorded median, s"),
        ),
        "summary",
        _model_outputs,
    ),
    "structure_failures": Table(
        "Recorded model outputs: how each attempt ended, and why a structure was refused",
        (
            _STUDY,
            Column("model", "Model"),
            Column("status", "Status or kind of failure"),
            Column("detail", "Detail"),
            Column("attempts", "Attempts"),
        ),
        "summary",
        _structure_failures,
    ),
    "output_mutations": Table(
        "Mutations of recorded outputs: outcomes by lane; lanes are of different kinds and never pooled",
        (
            Column("part", "By"),
            Column("name", "Name"),
            Column("lane", "Lane"),
            Column("cases", "Cases"),
            Column("eligible", "Eligible"),
            Column("detected", "Detected"),
            Column("invalid_structure", "Structure refused"),
            Column("preserved", "Preserved"),
            Column("accepted", "Fault accepted"),
            Column("other", "Other"),
            Column("excluded", "Excluded"),
        ),
        "outcomes",
        _output_mutations,
    ),
    "output_findings": Table(
        "Mutations of recorded outputs: what each operator's variants were found to have",
        (
            Column("operator", "Operator"),
            Column("finding", "Finding"),
            Column("expected", "Expected"),
            Column("cases", "Cases"),
            Column("findings", "Findings"),
        ),
        "outcomes",
        _output_findings,
    ),
    "historical": Table("Historical: released validators before and after a fix", _FIXES, "fixes", _fixes),
    "historical_first_run": Table(
        "Historical, first run: environments that were not yet right", _FIXES, "fixes", _fixes
    ),
    "historical_screening": Table(
        "Historical: the reports that were screened",
        (Column("issue", "Report"), Column("included", "Included"), Column("reason", "Reason")),
        "fixes",
        _screening,
    ),
    "agreement": Table(
        "Agreement with the frozen reports, every value of every case",
        (
            _STUDY,
            Column("frozen", "Frozen report"),
            Column("cases", "Cases"),
            Column("values", "Values compared"),
            Column("differences", "Differences"),
        ),
        "agreement",
        _agreement,
    ),
}
