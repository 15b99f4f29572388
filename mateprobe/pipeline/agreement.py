"""Stage ``agreement``: ours against a frozen campaign, field by field. One difference fails the run."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.canonical import canonical_bytes, same
from mateprobe.corpus import Corpus
from mateprobe.errors import StageError
from mateprobe.mutations import MutationCase, published_outcome
from mateprobe.outcome import INELIGIBLE, Outcome, Relation
from mateprobe.pipeline.files import sha256_file, write_bytes
from mateprobe.pipeline.records import read_records
from mateprobe.pipeline.section import RESULTS, add_section, parse_section, receipt_path, stage_modules
from mateprobe.pipeline.stage import run_stage
from mateprobe.serialization import from_data

EVIDENCE = RESULTS / "evidence"
SHOWN = 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_section(parser)


def run(args: argparse.Namespace) -> int:
    """Run the stage; return 0.

    Raises:
        StageError: ours and the frozen report differ; names study, case and field.
    """
    section = parse_section(args.section)
    folder, validator = RESULTS / section["study"], section["validator"]
    inputs = {
        "corpus": EVIDENCE / section["corpus"],
        "campaign": EVIDENCE / section["campaign"],
        "published_summary": EVIDENCE / section["summary"],
        "cases": folder / "cases.jsonl",
        "observations": folder / "observations" / f"{validator}.jsonl",
        "outcomes": folder / "outcomes" / f"{validator}.jsonl",
        "summary": folder / "summary.json",
    }

    def make(partial: Mapping[str, Path]) -> None:
        comparison = Comparison()
        compare_campaign(comparison, inputs, validator)
        if comparison.differences:
            shown = "\n".join(comparison.differences[:SHOWN])
            count = len(comparison.differences)
            raise StageError(f"study {section['study']!r}: {count} differences from {section['campaign']}:\n{shown}")
        content = {
            "study": section["study"],
            "frozen": section["campaign"],
            "frozen_sha256": sha256_file(inputs["campaign"]),
            "cases": comparison.compared["outcome"],
            "compared": dict(sorted(comparison.compared.items())),
            "values": sum(comparison.compared.values()),
            "differences": comparison.differences,
        }
        write_bytes(partial["agreement"], canonical_bytes(content) + b"\n")

    run_stage(
        "agreement",
        inputs=inputs,
        params=section,
        modules=stage_modules("agreement", section),
        outputs={"agreement": folder / "agreement.json"},
        make=make,
        receipt=receipt_path(section["study"], "agreement"),
    )
    return 0


class Comparison:
    """Values compared so far, by field, and every difference as a line."""

    def __init__(self) -> None:
        self.compared: Counter[str] = Counter()
        self.differences: list[str] = []

    def expect(self, where: str, field: str, ours: Any, frozen: Any) -> None:
        """Compare one value, types included."""
        self.compared[field] += 1
        if not same(ours, frozen):
            self.differences.append(f"{where} {field}: ours {ours!r:.200}, frozen {frozen!r:.200}")


@dataclass(frozen=True, slots=True)
class _Ended:
    id: str
    relation: Relation
    outcome: Outcome
    reason: str


def compare_campaign(comparison: Comparison, inputs: Mapping[str, Path], validator: str) -> None:
    """Compare a study's artifacts with a frozen campaign report and its summary."""
    campaign = strict_json.load(inputs["campaign"])
    comparison.expect("corpus", "corpus_digest", published_corpus_digest(inputs["corpus"]), campaign["corpus_digest"])
    observed = read_records(inputs["observations"], "observations")
    reports = {row["sample"]: row for row in observed}
    frozen = {case["id"]: case for case in campaign["cases"]}
    report = _ReportOf(comparison, reports, observed.header)
    families: dict[str, Counter[str]] = {}
    for case, outcome in _side_by_side(inputs):
        theirs = frozen.pop(case["id"], None)
        if theirs is None:
            comparison.differences.append(f"case {case['id']!r}: ours alone; the frozen report has no such case")
            continue
        ended = _Ended(case["id"], Relation(outcome["relation"]), Outcome(outcome["outcome"]), outcome["reason"])
        published = published_outcome(ended)
        families.setdefault(case["family"], Counter())[published.outcome.value] += 1
        where = f"case {case['id']!r}"
        expected = [f"{t['rule_id']}/{t['code']}@{t['scope']}" for t in theirs.get("expected", [])]
        for field, ours, value in (
            ("outcome", published.outcome.value, theirs["outcome"]),
            ("reason", published.reason, theirs["reason"]),
            ("family", case["family"], theirs["family"]),
            ("group", case["group"], theirs["group"]),
            ("relation", case["relation"], theirs["relation"]),
            ("expected", case["expected"], expected if "expected" in theirs else case["expected"]),
        ):
            comparison.expect(where, field, ours, value)
        report(f"{where} baseline", case["baseline_sha256"], theirs["baseline"])
        judged = ended.outcome not in INELIGIBLE
        report(f"{where} variant", case["variant_sha256"] if judged else None, theirs["variant"])
    comparison.differences += [f"case {id!r}: frozen alone; ours has no such case" for id in sorted(frozen)]
    comparison.expect("summary", "families", families, campaign["summary"]["families"])
    _compare_summary(comparison, inputs, validator, observed.header)


def published_corpus_digest(path: Path) -> str:
    """Return the digest of a published corpus, built again from its cases as our types."""
    content = strict_json.load(path)
    cases = content["cases"] if isinstance(content, dict) else content
    return Corpus([from_data(MutationCase, case) for case in cases]).digest


def _side_by_side(inputs: Mapping[str, Path]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    return zip(read_records(inputs["cases"], "cases"), read_records(inputs["outcomes"], "outcomes"), strict=True)


class _ReportOf:
    """Compares the report of one sample: digests, verdict, policy and every field of every check."""

    def __init__(self, comparison: Comparison, reports: Mapping[str, Any], header: Mapping[str, Any]) -> None:
        self._expect: Callable[[str, str, Any, Any], None] = comparison.expect
        self._reports, self._header = reports, header

    def __call__(self, where: str, sample: str | None, frozen: Mapping[str, Any] | None) -> None:
        if sample is None or frozen is None:
            self._expect(where, "judged", sample is not None, frozen is not None)
            return
        ours = self._reports[sample]
        self._expect(where, "input_digest", ours["input_digest"], frozen["input_digest"])
        self._expect(where, "contracts_digest", self._header["contracts_digest"], frozen["contracts_digest"])
        self._expect(where, "policy", self._header["policy"], frozen["policy"])
        self._expect(where, "accepted", ours["accepted"], frozen["accepted"])
        self._expect(where, "complete", ours["complete"], frozen["complete"])
        self._expect(where, "checks", len(ours["checks"]), len(frozen["checks"]))
        for check, theirs in zip(ours["checks"], frozen["checks"], strict=False):
            place = f"{where} check {theirs['rule_id']}"
            for field in theirs.keys() - {"evidence"}:
                self._expect(place, field, check[field], theirs[field])


_BINARY_NAMES = {"baseline_rejections": "baselines_not_accepted", "valid_variant_acceptance": "valid_acceptance"}


def _compare_summary(
    comparison: Comparison, inputs: Mapping[str, Path], validator: str, header: Mapping[str, Any]
) -> None:
    """Compare totals with the published summary; its names for the same figures are a little different."""
    ours = strict_json.load(inputs["summary"])["validators"]
    frozen = strict_json.load(inputs["published_summary"])
    totals = frozen.get("targeted_audit") or frozen["combined"]
    audit = ours[validator]
    for field, name in (
        ("total", "total"), ("valid_faults", "eligible_faults"), ("detected_faults", "detected_faults"),
        ("detection_score", "detection_score"), ("valid_controls", "eligible_controls"),
        ("preserved_controls", "preserved_controls"), ("preservation_rate", "preservation_rate"),
    ):  # fmt: skip
        comparison.expect(f"summary of {validator!r}", field, audit[name], totals[field])
    if "contract_digest" in frozen:
        comparison.expect("summary", "contract_digest", header["contracts_digest"], frozen["contract_digest"])
    for id, theirs in frozen.get("binary_comparisons", {}).items():
        for field, value in theirs.items():
            figure = ours[id]["binary"][_BINARY_NAMES.get(field, field)]
            comparison.expect(f"binary figures of {id!r}", field, figure, value)
