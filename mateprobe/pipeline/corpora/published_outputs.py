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
from mateprobe.canonical import digest
from mateprobe.errors import EvidenceError, InvalidValue
from mateprobe.pipeline.corpora import Row
from mateprobe.pipeline.corpora.generations import check_attempt, check_fields, judged, number, row

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
    for place, record in strict_json.lines(outputs):
        where = f"{outputs}, line {place}"
        if not isinstance(record, dict) or set(record) != RECORD:
            raise EvidenceError(f"{where}: expected a record with the keys {sorted(RECORD)}, found {record!r:.200}")
        check_attempt(where, record["id"], wanted, seen)
        model, scenario = wanted[record["id"]]
        _check(where, record, _request(collection, model, constants), scenario, instructions)
        yield _row(record["id"], model, scenario, *_classified(record, scenario))
    for id in sorted(wanted.keys() - seen):
        yield _row(id, *wanted[id], {"status": "missing"}, None)


def _request(collection: Data, model: str, constants: Data) -> dict[str, Any]:
    """Return the frozen request, but for its prompt."""
    frozen = {key: collection[key] for key in ("system", "format", "options")}
    thinks = "thinking" in collection["models"][model]["show"]["capabilities"]
    return {"model": model, **frozen, **constants, **({"think": False} if thinks else {})}


def _check(where: str, record: Data, request: Data, scenario: Data, instructions: Data) -> None:
    if not isinstance(record["request"], dict) or not isinstance(record["request"].get("prompt"), str):
        raise EvidenceError(f"{where}: request: expected an object with a prompt, found {record['request']!r:.200}")
    sent = dict(record["request"])
    try:
        identity = digest(sent)
    except InvalidValue as error:
        raise EvidenceError(f"{where}: request: {error}") from None
    text, _, shown = sent.pop("prompt").rpartition("\n")
    fields = {
        "model": (record["model"], request["model"]),
        "scenario_id": (record["scenario_id"], scenario["id"]),
        "group": (record["group"], scenario["group"]),
        "request_digest": (record["request_digest"], identity),
        "request.prompt, scenario": (strict_json.loads(shown or "null", f"{where}: request.prompt"), dict(scenario)),
        "request.prompt, instructions": (_sha256(text), instructions[scenario["language"]]),
        "request, keys": (sorted(sent), sorted(request)),
        **{f"request.{key}": (sent.get(key), value) for key, value in request.items()},
    }
    check_fields(where, fields)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _classified(record: Data, scenario: Data) -> tuple[dict[str, Any], Any]:
    """Return what became of a record, and its envelope where it has one."""
    response = record["response"]
    if record["collection_status"] != "returned" or not isinstance(response, dict):
        return {"status": "collection_error"}, None
    finished = response.get("done") is True and response.get("done_reason") != "length"
    about, envelope = judged(str(response.get("response", "")), scenario, finished=finished)
    return {
        **about,
        "output_tokens": number(response.get("eval_count")),
        "prompt_tokens": number(response.get("prompt_eval_count")),
        "wall_seconds": number(record["wall_seconds"]),
    }, envelope


def _row(id: str, model: str, scenario: Data, about: Data, envelope: Any) -> Row:
    return row(id, model, scenario, {**about, "model": model}, envelope)
