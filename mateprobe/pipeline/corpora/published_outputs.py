"""Published collections of model outputs: every record checked, none dropped, each ends in one status.

A record that is not the frozen request for a known model and scenario is refused: then the file is
not the evidence it claims to be. What a model answered is never refused, only classified.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.canonical import digest, same
from mateprobe.errors import EvidenceError
from mateprobe.pipeline.corpora import Row
from mateprobe.pipeline.corpora.envelope import Misshapen, parse_envelope

Data = Mapping[str, Any]
RECORD = {
    "id", "model", "scenario_id", "group", "request", "request_digest", "response", "collection_status", "wall_seconds",
}  # fmt: skip


def records(*, manifest: Path, outputs: Path, constants: Data, instructions: Data) -> Iterator[Row]:
    """Yield one unpaired row per attempt of the collection, a missing attempt included.

    Args:
        manifest: models, scenarios and sampling options, frozen before the first request.
        outputs: the records, one JSON object a line.
        constants: request fields the manifest does not hold.
        instructions: by language, the SHA-256 of the prompt's text before the scenario.

    Raises:
        EvidenceError: a record that is none of the collection's; names the line and the field.
    """
    collection = strict_json.load(manifest)
    scenarios = {scenario["id"]: scenario for scenario in collection["scenarios"]}
    wanted = {f"{model}/{id}": (model, scenarios[id]) for model in collection["models"] for id in scenarios}
    seen: set[str] = set()
    for number, record in strict_json.lines(outputs):
        where = f"{outputs}, line {number}"
        if not isinstance(record, dict) or set(record) != RECORD:
            raise EvidenceError(f"{where}: expected a record with the keys {sorted(RECORD)}, found {record!r:.200}")
        if record["id"] not in wanted or record["id"] in seen:
            why = "a second one" if record["id"] in seen else "of no known model and scenario"
            raise EvidenceError(f"{where}: record {record['id']!r:.200} is {why}; expected each attempt once")
        seen.add(record["id"])
        model, scenario = wanted[record["id"]]
        _check(where, record, _request(collection, model, constants), scenario, instructions)
        yield _row(record["id"], model, scenario, *_judged(record, scenario))
    for id in sorted(wanted.keys() - seen):
        yield _row(id, *wanted[id], {"status": "missing"}, None)


def _request(collection: Data, model: str, constants: Data) -> dict[str, Any]:
    """Return the frozen request, but for its prompt."""
    frozen = {key: collection[key] for key in ("system", "format", "options")}
    thinks = "thinking" in collection["models"][model]["show"]["capabilities"]
    return {"model": model, **frozen, **constants, **({"think": False} if thinks else {})}


def _check(where: str, record: Data, request: Data, scenario: Data, instructions: Data) -> None:
    sent = dict(record["request"])
    text, _, shown = str(sent.pop("prompt", "")).rpartition("\n")
    expected = {
        "model": (record["model"], request["model"]),
        "scenario_id": (record["scenario_id"], scenario["id"]),
        "group": (record["group"], scenario["group"]),
        "request_digest": (record["request_digest"], digest(record["request"])),
        "request.prompt, scenario": (strict_json.loads(shown or "null", f"{where}: request.prompt"), dict(scenario)),
        "request.prompt, instructions": (_sha256(text), instructions[scenario["language"]]),
        "request, keys": (sorted(sent), sorted(request)),
        **{f"request.{key}": (sent.get(key), value) for key, value in request.items()},
    }
    for field, (found, frozen) in expected.items():
        if not same(found, frozen):
            raise EvidenceError(f"{where}: {field}: expected {frozen!r:.200}, found {found!r:.200}")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _judged(record: Data, scenario: Data) -> tuple[dict[str, Any], Any]:
    """Return what became of a record, and its envelope where it has one."""
    response = record["response"]
    if record["collection_status"] != "returned" or not isinstance(response, dict):
        return {"status": "collection_error"}, None
    about = {
        "output_tokens": response.get("eval_count"),
        "prompt_tokens": response.get("prompt_eval_count"),
        "wall_seconds": record["wall_seconds"],
    }
    if response.get("done") is not True or response.get("done_reason") == "length":
        return {"status": "incomplete_generation", **about}, None
    try:
        return {"status": "evaluated", **about}, parse_envelope(str(response.get("response", "")), scenario)
    except Misshapen as error:
        return {"status": "invalid_structure", "kind": str(error), **about}, None


def _row(id: str, model: str, scenario: Data, about: Data, envelope: Any) -> Row:
    return {
        "id": id,
        "group": scenario["group"],
        "family": model,
        "obligation": None,
        "relation": None,
        "validity": "unreviewed",
        "provenance": "Generated by the model; no one has labelled it.",
        "expected": [],
        "baseline": None if envelope is None else {"envelope": envelope, "scenario": trusted(scenario)},
        "variant": None,
        "about": {**about, "model": model, "language": scenario["language"], "domain": scenario["domain"]},
    }


def trusted(scenario: Data) -> dict[str, Any]:
    """Return what a validator may know of a scenario: its states, not its prose."""
    options = [{"id": option["id"], "after": option["after"]} for option in scenario["options"]]
    return {"current": scenario["current"], "language": scenario["language"], "options": options}
