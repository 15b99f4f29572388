"""From the YAML file that describes a capture to the manifest that is frozen before it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mateprobe.errors import InvalidType, InvalidValue, StudyError
from mateprobe.pipeline.collection import FORMAT
from mateprobe.pipeline.own_schemas import own_schema
from mateprobe.pipeline.yaml_file import YamlFile, read_yaml
from mateprobe.serialization import contracts_from_data

Data = Mapping[str, Any]
_EXPANDED = ("$schema", "domains", "contracts")


def load_config(path: Path) -> dict[str, Any]:
    """Return the manifest that a capture's configuration describes.

    Raises:
        StudyError: the file cannot be used; every problem with file, line and key.
    """
    file = read_yaml(path)
    problems = [*_schema_problems(file)] or [*_name_problems(file)]
    if problems:
        raise StudyError("\n".join(problems))
    config = file.content
    try:
        contracts = contracts_from_data(config["contracts"], "contracts")
    except (InvalidValue, InvalidType) as error:
        raise StudyError(f"{file.where(('contracts',))}: {error}") from None
    return {
        **FORMAT,
        **{key: value for key, value in config.items() if key not in _EXPANDED},
        "retries": 0,
        "repairs": 0,
        "rule_configuration": [contract.configuration() for contract in contracts],
        "scenarios": [scenario for domain, about in config["domains"].items() for scenario in scenarios(domain, about)],
    }


def manifest_bytes(manifest: Data) -> bytes:
    """Return the text of a manifest.

    Keys keep their order: that of a schema's properties is the order in which a grammar lets them be written.
    """
    return json.dumps(manifest, ensure_ascii=False, indent=2).encode() + b"\n"


def scenarios(domain: str, about: Data) -> Iterator[dict[str, Any]]:
    """Yield a domain's scenarios, language by language; those with the same credits are one group."""
    for language, text in about["languages"].items():
        for number, balance in enumerate(about["credits"]):
            yield {
                "id": f"{domain}-{language}-{number}",
                "group": f"{domain}-{number}",
                "domain": domain,
                "language": language,
                "setup": text["setup"],
                "current": {"status": about["status"], "credits": balance},
                "options": [
                    {
                        "id": option["id"],
                        "action": text["actions"][option["id"]],
                        "after": {"status": option["status"], "credits": balance + option["change"]},
                    }
                    for option in about["options"]
                ],
            }


def _schema_problems(file: YamlFile) -> Iterator[str]:
    for error in sorted(own_schema("capture").iter_errors(file.content), key=lambda error: error.json_path):
        yield f"{file.where(tuple(error.absolute_path))}: {error.message}"


def _name_problems(file: YamlFile) -> Iterator[str]:
    """Yield what a schema cannot see: names that must agree with other names."""
    known = file.content["instructions"]
    for domain, about in file.content["domains"].items():
        ids = [option["id"] for option in about["options"]]
        if len(set(ids)) < len(ids):
            yield f"{file.where(('domains', domain, 'options'))}: expected ids that differ, found {ids}"
        for language, text in about["languages"].items():
            where = file.where(("domains", domain, "languages", language))
            if language not in known:
                yield f"{where}: expected a language with instructions, one of {sorted(known)}"
            if text["actions"].keys() != set(ids):
                yield f"{where}: expected an action for each of {ids}, found {sorted(text['actions'])}"
