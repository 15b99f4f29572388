"""The rows of each table: one function a table, from one artifact of one study.

None stands for what is undefined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from mateprobe.records import RecordFile

Row = Sequence[Any]
UNDEFINED = "undefined"
NOT_EVALUATED = "not evaluated"
_ROLES = ("trigger", "control", "negative")


def _share(part: int, whole: int) -> str | None:
    """Return ``part/whole`` as a reader would check it, or None where there is nothing to count."""
    return f"{part}/{whole}" if whole else None


def _validators(summary: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for id in summary["order"]:
        yield id, summary["validators"][id]


def _codes(findings: Mapping[str, int]) -> Counter[str]:
    """Return how many findings have each code; an id is ``RULE/CODE@SCOPE``."""
    codes: Counter[str] = Counter()
    for id, number in findings.items():
        codes[id.partition("/")[2].partition("@")[0]] += number
    return codes


def feasibility(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator, by rejection alone."""
    for id, validator in _validators(summary):
        binary = validator["binary"]
        counts = [binary[key] for key in ("tp", "fn", "fp", "tn")]
        shares = [binary[key] for key in ("precision", "recall", "valid_acceptance")]
        yield [summary["study"], id, *counts, *shares]


def controlled(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator, its faults read three ways."""
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


def ablations(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator, with a part of the accounting left out."""
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


def expanded(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator and kind of rule, and one for all kinds."""
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


def obligations(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator and an obligation: how its cases ended, and what that amounts to."""
    for id, validator in _validators(summary):
        for obligation in validator["obligations"]:
            figures = obligation["figures"]
            ended = figures["counts"].items()
            other = ", ".join(f"{number} {word}" for word, number in ended if word not in ("detected", "preserved"))
            faults = [figures["eligible_faults"], figures["detected_faults"]]
            controls = [figures["eligible_controls"], figures["preserved_controls"]]
            assessment = obligation["assessment"].replace("_", " ")
            yield [summary["study"], id, obligation["id"], *faults, *controls, other or "none", assessment]


def confusion(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator, expected id and reported id."""
    for id, validator in _validators(summary):
        for entry in validator["attribution"]["matrix"]:
            yield [summary["study"], id, entry["expected"], entry["reported"], entry["cases"]]


def attribution(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator, its ids on faults."""
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


def error_policies(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator."""
    for id, validator in _validators(summary):
        policies = validator["error_policies"]
        shares = [policies[policy] for policy in ("miss", "dropped", "detection")]
        yield [summary["study"], id, validator["eligible_faults"], policies["without_verdict"], *shares]


def support(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for a case."""
    for row in outcomes:
        expected = ", ".join(row["expected"]) or "acceptance"
        reported = ", ".join(row["reported"]) or row["variant"]
        shown = [row["family"], outcomes.header["validator"], row["obligation"], expected, reported]
        yield [*shown, row["outcome"], row["provenance"]]


def source_mutations(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for a mutation."""
    words = {"detected": "killed", "unattributed_rejection": "exception"}
    for row in outcomes:
        tests = [id for id in row["reported"] if "::" in id]
        shown = "; ".join(tests[:3]) + f"; and {len(tests) - 3} more" * (len(tests) > 3)
        outcome = words.get(row["outcome"], row["outcome"])
        yield [row["id"], row["group"], row["obligation"], outcome, len(tests), shown or None]


def model_outputs(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a model."""
    strict = summary["validators"]["strict"]["samples"]
    for model, found in strict.items():
        evaluated = found["statuses"].get("evaluated", 0)
        accepted = [
            summary["validators"][validator]["samples"][model]["said"].get("accepted", 0)
            if evaluated
            else NOT_EVALUATED
            for validator in ("declaration", "strict", "heuristic", "length")
        ]
        codes = sorted(_codes(found["findings"]).items())
        findings = ", ".join(f"{number} {code}" for code, number in codes) or "none"
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


def structure_failures(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a model and way in which its attempts ended."""
    for model, found in summary["validators"]["strict"]["samples"].items():
        for status, number in found["statuses"].items():
            if status != "invalid_structure":
                yield [summary["study"], model, status, "", number]
        for problem, number in found["kinds"].items():
            kind, _, what = problem.partition(": ")
            yield [summary["study"], model, kind, what, number]


def output_mutations(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for a lane, a model in a lane, an operator."""
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
        yield [
            outcomes.header["study"],
            part,
            name,
            lane,
            sum(counts.values()),
            sum(counts.values()) - excluded,
            *shown,
            other,
            excluded,
        ]


def lanes(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for a lane: those of ``output_mutations`` that are about lanes."""
    for study, part, _, *row in output_mutations(outcomes):
        if part == "lane":
            yield [study, *row]


def output_findings(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for an operator and finding."""
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
        yield [outcomes.header["study"], family, id, wanted, cases[family, id], findings[family, id]]


def fixes(fixes: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a defect."""
    for fix in fixes["fixes"]:
        ends = [fix["ends"][role][release] for role in ("trigger", "control") for release in ("before", "after")]
        yield [fix["issue"], fix["before"], fix["after"], *ends, "yes" if fix["fix_reproduced"] else "no"]


def defects(fixes: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a defect, with how each of its cases ended before and after the fix."""
    for fix in fixes["fixes"]:
        found = [fix["ends"].get(role) for role in _ROLES]
        ends = [f"{end['before']} → {end['after']}" if end else None for end in found]
        release = f"{fix['package']} {fix['before']} → {fix['after']}"
        yield [fix["issue"], release, fix["tier"], *ends, "yes" if fix["fix_reproduced"] else "no"]


def defects_by(key: str) -> Callable[[Mapping[str, Any]], Iterator[Row]]:
    """Return the function that yields a row for each value of ``key`` and each tier."""

    def rows(fixes: Mapping[str, Any]) -> Iterator[Row]:
        groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for fix in fixes["fixes"]:
            groups.setdefault((fix[key], fix["tier"]), []).append(fix)
        for group, members in sorted(groups.items()):
            reports = len({fix["cluster"] for fix in members})
            turned = sum(fix["fix_reproduced"] for fix in members)
            kept = [_kept(members, *pair) for pair in (("control", "preserved"), ("negative", "detected"))]
            yield [*group, len(members), reports, turned, *kept, sum(fix["recorded"] for fix in members)]

    return rows


def _kept(fixes: Sequence[Mapping[str, Any]], role: str, right: str) -> str | None:
    """Return how many cases of a role ended as they should, of how many, over both releases."""
    ends = [end for fix in fixes if role in fix["ends"] for end in fix["ends"][role].values()]
    return _share(ends.count(right), len(ends))


def screening(fixes: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a report that was screened."""
    for candidate in fixes["screened"]:
        yield [candidate["issue"], "yes" if candidate["included"] else "no", candidate["reason"]]


def agreement(agreement: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a study."""
    differences = len(agreement["differences"])
    yield [agreement["study"], agreement["frozen"], agreement["cases"], agreement["values"], differences]


def outcomes(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator, obligation and outcome: how many of the obligation's cases ended so."""
    for id, validator in _validators(summary):
        for obligation in validator["obligations"]:
            ended = obligation["figures"]["counts"] or {"untested": 0}
            for outcome, cases in ended.items():
                yield [summary["study"], id, obligation["id"], outcome, cases]


def model_findings(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a model and finding code of the strict profile; of a model without any, one that says so."""
    for model, found in summary["validators"]["strict"]["samples"].items():
        evaluated = found["statuses"].get("evaluated", 0)
        codes = _codes(found["findings"])
        for code, number in sorted(codes.items()) if evaluated else ():
            yield [summary["study"], model, evaluated, code, number]
        if not codes:
            yield [summary["study"], model, evaluated, "none" if evaluated else NOT_EVALUATED, 0]


def intervals(statistics: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator and rate, with both of its intervals."""
    for id in statistics["order"]:
        for rate, found in statistics["validators"][id].items():
            clustered, wilson = found["clustered"], found["wilson"]
            counted = [found[key] for key in ("successes", "cases", "groups", "rate")]
            bounds = [clustered["low"], clustered["high"], wilson["low"], wilson["high"]]
            yield [
                statistics["study"],
                id,
                rate,
                *counted,
                *bounds,
                clustered["method"] or "none",
                clustered["note"] or "",
            ]


def paired(statistics: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a rate and two validators that share cases."""
    for pair in statistics["pairs"]:
        if pair["cases"]:
            counted = [pair[key] for key in ("cases", "b", "c", "p", "groups", "groups_b", "groups_c", "groups_p")]
            yield [statistics["study"], pair["rate"], pair["first"], pair["second"], *counted]
