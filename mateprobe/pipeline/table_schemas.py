"""The tables about JSON Schema: libraries against the suite, schemas against edits of documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from mateprobe.pipeline.table import VALIDATOR, Row, Table, count, text
from mateprobe.records import RecordFile

EVERY = "all"
_FROM_THE_TOP = "A local reference is resolved from the top of the document, not from the $id around it."
_UNDER_A_CONDITION = "An $id below if, then or else is not found: the reference is taken for one to elsewhere."
REASONS: Mapping[tuple[str, str], str] = {
    (
        "jsonschema",
        "draft2020-12/vocabulary/schema that uses custom metaschema with with no validation vocabulary",
    ): "$vocabulary of a metaschema of one's own is not read: every keyword of the draft counts.",
    ("fastjsonschema", "draft7/ref/refs with relative uris and defs"): _FROM_THE_TOP,
    ("fastjsonschema", "draft7/ref/relative refs with absolute uris and defs"): _FROM_THE_TOP,
    ("fastjsonschema", "draft7/ref/ref to if"): _UNDER_A_CONDITION,
    ("fastjsonschema", "draft7/ref/ref to then"): _UNDER_A_CONDITION,
    ("fastjsonschema", "draft7/ref/ref to else"): _UNDER_A_CONDITION,
}
"""Why a library disagrees with the suite about a group, where that has been looked into."""


def conformance(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for a draft and one for each keyword file of it: how the pairs ended."""
    ended: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for row in outcomes:
        words = [_word(row), row["relation"], *(["changed_sample"] if row.get("changed_sample") else [])]
        for keyword in (EVERY, row["about"]["keyword"]):
            ended[row["about"]["draft"]][keyword].update(words)
    for draft, by_keyword in sorted(ended.items()):
        for keyword, counts in [(EVERY, by_keyword.pop(EVERY)), *sorted(by_keyword.items())]:
            yield [outcomes.header["validator"], draft, keyword, *(counts[word] for word in _COUNTED)]


_COUNTED = (
    "violation", "detected", "survived", "preserve", "preserved", "regressed", "failed", "not_implemented", "excluded",
    "unpaired", "changed_sample",
)  # fmt: skip


def _word(row: Mapping[str, Any]) -> str:
    """Return how a pair ended, for this table: a sample without a usable verdict is one word, whichever it is."""
    if row["outcome"] is None:
        return "unpaired"
    if row["outcome"] in ("detected", "survived", "preserved", "regressed", "excluded"):
        return str(row["outcome"])
    return "not_implemented" if row["baseline"] == "incomplete" else "failed"


def conformance_disagreements(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for each pair of a draft that is implemented whose samples are not judged as the suite has it."""
    validator = outcomes.header["validator"]
    for row in outcomes:
        if _word(row) in ("survived", "regressed", "failed"):
            about = row["about"]
            error = row["reason"].partition(": ")[2]
            why = REASONS.get((validator, row["group"]), error or "not known")
            labels = [about["label"], row["baseline"], row["variant"]]
            yield [validator, about["draft"], about["keyword"], about["group"], about["test"], *labels, error, why]


def published_schemas(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for a schema: how many of its constraints some fault breaks, and how its pairs ended."""
    ended: dict[str, Counter[str]] = defaultdict(Counter)
    exercised: dict[str, set[str]] = defaultdict(set)
    for row in outcomes:
        about = row["about"]
        schema = about.get("schema", "schema")
        if row["outcome"] is None:
            ended[schema][about["status"]] += 1
            continue
        ended[schema].update((row["outcome"], row["relation"]))
        if row["relation"] == "violation" and row["validity"] == "valid":
            exercised[schema].update(about.get("constraints", ()))
    for schema, counts in sorted(ended.items()):
        unexercised = [counts[status] for status in ("no_fault", "not_reached", "conditional")]
        found = [len(exercised[schema]) + sum(unexercised), len(exercised[schema]), *unexercised]
        words = ("violation", "detected", "survived", "preserve", "preserved", "regressed")
        known = [counts[word] for word in words]
        other = sum(counts.values()) - sum(unexercised) - sum(known)
        yield [outcomes.header["validator"], schema, *found, *known, other]


def unexercised_constraints(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for each constraint that no valid fault breaks."""
    for row in outcomes:
        if row["outcome"] is None:
            about = row["about"]
            yield [about.get("schema", "schema"), about["constraint"], about["keyword"], about["status"]]


TABLES: Mapping[str, Table] = {
    "conformance": Table(
        "JSON Schema libraries against the JSON Schema Test Suite, by draft and keyword file",
        (
            VALIDATOR,
            text("draft", "Draft"),
            text("keyword", "Keyword file"),
            count("faults", "Faults"),
            count("detected", "Detected"),
            count("survived", "Invalid accepted"),
            count("controls", "Controls"),
            count("preserved", "Preserved"),
            count("regressed", "Valid refused"),
            count("failed", "Baseline or variant not judged"),
            count("not_implemented", "Draft not implemented"),
            count("excluded", "One and the same data"),
            count("unpaired", "Without a valid instance to compare with"),
            count("changed_sample", "Pairs with a sample the library changed"),
        ),
        "outcomes",
        conformance,
    ),
    "conformance_disagreements": Table(
        "JSON Schema libraries: every pair that is not judged as the JSON Schema Test Suite has it",
        (
            VALIDATOR,
            text("draft", "Draft"),
            text("keyword", "Keyword file"),
            text("group", "Group"),
            text("test", "Test"),
            text("label", "Label of the suite"),
            text("baseline", "First valid instance"),
            text("variant", "This instance"),
            text("error", "Error"),
            text("reason", "Reason"),
        ),
        "outcomes",
        conformance_disagreements,
    ),
    "published_schemas": Table(
        "Published schemas: which of their constraints some fault breaks, and how the pairs ended",
        (
            VALIDATOR,
            text("schema", "Schema"),
            count("constraints", "Constraints"),
            count("exercised", "Broken by a fault"),
            count("no_fault", "Apply, and no fault breaks them"),
            count("not_reached", "Of no place of a document"),
            count("conditional", "Under a condition"),
            count("faults", "Faults"),
            count("detected", "Detected"),
            count("survived", "Survived"),
            count("controls", "Controls"),
            count("preserved", "Preserved"),
            count("regressed", "Regressed"),
            count("other", "Other outcomes"),
        ),
        "outcomes",
        published_schemas,
    ),
    "unexercised_constraints": Table(
        "Published schemas: untested obligations, the constraints that no fault breaks",
        (
            text("schema", "Schema"),
            text("constraint", "Constraint"),
            text("keyword", "Keyword"),
            text("why", "Why"),
        ),
        "outcomes",
        unexercised_constraints,
    ),
}
