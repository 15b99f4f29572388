"""The tables of the report: one place that knows each table's columns and where its rows come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mateprobe.pipeline import schema_table_rows as schema_rows, table_rows as rows, timeline_rows
from mateprobe.pipeline.table_rows import Row


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in JSON and CSV, its heading for people, and whether its values are shares."""

    name: str
    heading: str
    share: bool = False

    def shown(self, value: Any) -> str:
        """Return a value for people: shares as percentages, other fractions to three digits, counts in thousands."""
        if isinstance(value, float):
            return f"{value:.1%}" if self.share else f"{value:.3g}"
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
_OUTPUTS = (
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
)
_LANES = (
    Column("lane", "Lane"),
    Column("cases", "Cases"),
    Column("eligible", "Eligible"),
    Column("detected", "Detected"),
    Column("invalid_structure", "Structure refused"),
    Column("preserved", "Preserved"),
    Column("accepted", "Fault accepted"),
    Column("other", "Other"),
    Column("excluded", "Excluded"),
)
_CHOSEN = "triggers were chosen because a fix turns them, so nothing here is a rate of defects"
_DEFECTS = (
    Column("tier", "Tier"),
    Column("defects", "Defects"),
    Column("reports", "Reports"),
    Column("reproduced", "Fixes reproduced"),
    Column("controls", "Controls preserved, both releases"),
    Column("negatives", "Negatives detected, both releases"),
    Column("recorded", "Outcomes equal to the recorded ones"),
)

OWN = "obligations"
"""The table that a study has for itself if it names none; it is then called like the study."""

TABLES: Mapping[str, Table] = {
    OWN: Table(
        "Outcomes by obligation",
        (
            _STUDY,
            _VALIDATOR,
            Column("obligation", "Obligation"),
            Column("faults", "Eligible faults"),
            Column("detected", "Detected"),
            Column("controls", "Eligible controls"),
            Column("preserved", "Preserved"),
            Column("other", "Other outcomes"),
            Column("assessment", "Assessment"),
        ),
        "summary",
        rows.obligations,
    ),
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
        rows.feasibility,
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
        rows.expanded,
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
        rows.support,
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
        rows.controlled,
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
        rows.ablations,
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
        rows.confusion,
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
        rows.attribution,
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
        rows.error_policies,
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
        rows.source_mutations,
    ),
    "model_outputs": Table(
        "Recorded model outputs: how far they came, and what each profile accepts; acceptance is not accuracy",
        _OUTPUTS,
        "summary",
        rows.model_outputs,
    ),
    "small_model_outputs": Table(
        "A small model under three ways of decoding: how far its outputs came, and what each profile accepts",
        _OUTPUTS,
        "summary",
        rows.model_outputs,
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
        rows.structure_failures,
    ),
    "lanes": Table(
        "Mutations of recorded outputs by lane; lanes are of different kinds and never pooled",
        (_STUDY, *_LANES),
        "outcomes",
        rows.lanes,
    ),
    "output_mutations": Table(
        "Mutations of recorded outputs: outcomes by lane; lanes are of different kinds and never pooled",
        (
            _STUDY,
            Column("part", "By"),
            Column("name", "Name"),
            *_LANES,
        ),
        "outcomes",
        rows.output_mutations,
    ),
    "small_model_mutations": Table(
        "Mutations of the small model's accepted declarations: outcomes by lane, never pooled",
        (
            _STUDY,
            Column("part", "By"),
            Column("name", "Name"),
            *_LANES,
        ),
        "outcomes",
        rows.output_mutations,
    ),
    "output_findings": Table(
        "Mutations of recorded outputs: what each operator's variants were found to have",
        (
            _STUDY,
            Column("operator", "Operator"),
            Column("finding", "Finding"),
            Column("expected", "Expected"),
            Column("cases", "Cases"),
            Column("findings", "Findings"),
        ),
        "outcomes",
        rows.output_findings,
    ),
    "outcomes": Table(
        "How the cases of each obligation ended",
        (
            _STUDY,
            _VALIDATOR,
            Column("obligation", "Obligation"),
            Column("outcome", "Outcome"),
            Column("cases", "Cases"),
        ),
        "summary",
        rows.outcomes,
    ),
    "model_findings": Table(
        "Recorded model outputs: what the strict profile finds in them",
        (
            _STUDY,
            Column("model", "Model"),
            Column("evaluated", "Evaluated"),
            Column("code", "Finding"),
            Column("findings", "Findings"),
        ),
        "summary",
        rows.model_findings,
    ),
    "intervals": Table(
        "Detection and preservation with 95 % intervals; only the clustered one allows for shared templates",
        (
            _STUDY,
            _VALIDATOR,
            Column("rate", "Rate"),
            Column("successes", "Successes"),
            Column("cases", "Cases"),
            Column("groups", "Groups"),
            Column("value", "Value", share=True),
            Column("low", "Clustered, low", share=True),
            Column("high", "Clustered, high", share=True),
            Column("wilson_low", "Wilson, low", share=True),
            Column("wilson_high", "Wilson, high", share=True),
            Column("method", "Clustered by"),
            Column("note", "Note"),
        ),
        "statistics",
        rows.intervals,
    ),
    "paired": Table(
        "Two validators on the cases they share: exact McNemar by case, sign test by group",
        (
            _STUDY,
            Column("rate", "Rate"),
            Column("first", "First"),
            Column("second", "Second"),
            Column("cases", "Cases"),
            Column("b", "Only first right"),
            Column("c", "Only second right"),
            Column("p", "p by case"),
            Column("groups", "Groups"),
            Column("groups_b", "Groups, first ahead"),
            Column("groups_c", "Groups, second ahead"),
            Column("groups_p", "p by group"),
        ),
        "statistics",
        rows.paired,
    ),
    "historical": Table("Historical: released validators before and after a fix", _FIXES, "fixes", rows.fixes),
    "historical_first_run": Table(
        "Historical, first run: environments that were not yet right", _FIXES, "fixes", rows.fixes
    ),
    "validator_defects": Table(
        f"Defects of released validators, by package; {_CHOSEN}",
        (Column("package", "Package"), *_DEFECTS),
        "fixes",
        rows.defects_by("package"),
    ),
    "validator_defects_by_relation": Table(
        f"Defects of released validators, by relation of the trigger; {_CHOSEN}",
        (Column("relation", "Relation"), *_DEFECTS),
        "fixes",
        rows.defects_by("relation"),
    ),
    "validator_defects_each": Table(
        f"Defects of released validators, one by one, before → after the fix; {_CHOSEN}",
        (
            Column("issue", "Report"),
            Column("releases", "Releases"),
            Column("tier", "Tier"),
            Column("trigger", "Trigger"),
            Column("control", "Control"),
            Column("negative", "Negative"),
            Column("reproduced", "Fix reproduced"),
        ),
        "fixes",
        rows.defects,
    ),
    "version_timeline": Table(
        f"Defects over the releases of their packages, in order of version; {_CHOSEN}",
        (
            Column("package", "Package"),
            Column("defect", "Defect"),
            Column("issue", "Report"),
            Column("last_good_before", "Last good before"),
            Column("first_bad", "First bad"),
            Column("last_bad", "Last bad"),
            Column("first_good", "First good after"),
            Column("good_between", "Good between"),
            Column("bad", "Bad"),
            Column("good", "Good"),
            Column("not_comparable", "Not comparable"),
            Column("unavailable", "Unavailable"),
            Column("releases", "Releases"),
        ),
        "outcomes",
        timeline_rows.version_timeline,
    ),
    "version_timeline_each": Table(
        "Defects over the releases of their packages, release by release",
        (
            Column("package", "Package"),
            Column("defect", "Defect"),
            Column("release", "Release"),
            Column("standing", "Standing"),
        ),
        "outcomes",
        timeline_rows.version_timeline_each,
    ),
    "historical_screening": Table(
        "Historical: the reports that were screened",
        (Column("issue", "Report"), Column("included", "Included"), Column("reason", "Reason")),
        "fixes",
        rows.screening,
    ),
    "conformance": Table(
        "JSON Schema libraries against the JSON Schema Test Suite, by draft and keyword file",
        (
            _VALIDATOR,
            Column("draft", "Draft"),
            Column("keyword", "Keyword file"),
            Column("faults", "Faults"),
            Column("detected", "Detected"),
            Column("survived", "Invalid accepted"),
            Column("controls", "Controls"),
            Column("preserved", "Preserved"),
            Column("regressed", "Valid refused"),
            Column("failed", "Baseline or variant not judged"),
            Column("not_implemented", "Draft not implemented"),
            Column("excluded", "One and the same data"),
            Column("unpaired", "Without a valid instance to compare with"),
            Column("changed_sample", "Pairs with a sample the library changed"),
        ),
        "outcomes",
        schema_rows.conformance,
    ),
    "conformance_disagreements": Table(
        "JSON Schema libraries: every pair that is not judged as the JSON Schema Test Suite has it",
        (
            _VALIDATOR,
            Column("draft", "Draft"),
            Column("keyword", "Keyword file"),
            Column("group", "Group"),
            Column("test", "Test"),
            Column("label", "Label of the suite"),
            Column("baseline", "First valid instance"),
            Column("variant", "This instance"),
            Column("error", "Error"),
            Column("reason", "Reason"),
        ),
        "outcomes",
        schema_rows.conformance_disagreements,
    ),
    "published_schemas": Table(
        "Published schemas: which of their constraints some fault breaks, and how the pairs ended",
        (
            _VALIDATOR,
            Column("schema", "Schema"),
            Column("constraints", "Constraints"),
            Column("exercised", "Broken by a fault"),
            Column("no_fault", "Apply, and no fault breaks them"),
            Column("not_reached", "Of no place of a document"),
            Column("conditional", "Under a condition"),
            Column("faults", "Faults"),
            Column("detected", "Detected"),
            Column("survived", "Survived"),
            Column("controls", "Controls"),
            Column("preserved", "Preserved"),
            Column("regressed", "Regressed"),
            Column("other", "Other outcomes"),
        ),
        "outcomes",
        schema_rows.published_schemas,
    ),
    "unexercised_constraints": Table(
        "Published schemas: untested obligations, the constraints that no fault breaks",
        (
            Column("schema", "Schema"),
            Column("constraint", "Constraint"),
            Column("keyword", "Keyword"),
            Column("why", "Why"),
        ),
        "outcomes",
        schema_rows.unexercised_constraints,
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
        rows.agreement,
    ),
}
