"""What can be wrong with a study file: with its form, and with what it names.

Every problem is one line: file, line and key, what was expected, what was found, the near miss.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from mateprobe.beside import file_below, is_file
from mateprobe.errors import MateProbeError, StudyError, one_of
from mateprobe.pipeline.code import code_digest
from mateprobe.pipeline.defects import RELEASES, read_defects
from mateprobe.pipeline.named_code import CODE, allowed
from mateprobe.pipeline.own_schemas import own_schema
from mateprobe.pipeline.pins import archive_named
from mateprobe.pipeline.programs import ADAPTERS
from mateprobe.pipeline.table_specs import TABLES
from mateprobe.pipeline.timelines import EVERY, read_timelines, unknown_defects
from mateprobe.pipeline.yaml_file import YamlFile, key_text, read_yaml

RESERVED = frozenset({
    "agreement", "all", "benchmarks", "cases", "claims", "environment", "environments", "evidence", "figures", "fixes",
    "gate", "index", "logs", "manifest", "observe", "outcomes", "page", "paper", "report", "statistics", "summary",
    "tables", "verify",
})  # fmt: skip
"""What no study may be called: rules of the workflow, other folders of results, other lists of golden hashes."""


SOURCES = ("generate", "file", "operators", "evidence", "defects")
"""Where cases come from, by the key that says so."""

MEANT_FOR = {
    "seed": ("generate", "operators"), "with": ("generate",), "from": ("generate",), "archive": ("generate",),
    "baselines": ("operators",), "schema": ("operators",), "controls": ("evidence",), "timelines": ("defects",),
}  # fmt: skip
"""Keys of cases that some sources understand and no other."""

CASE_FILES = (".csv", ".json", ".jsonl", ".yaml", ".yml")
"""How a file of cases may end; that says how it is read."""


def problems_of(file: YamlFile) -> list[str]:
    """Return every problem of a study file; what it names is looked at only if its form is right."""
    return [*_schema_problems(file)] or [*_reference_problems(file)]


def check_profile(profile: YamlFile) -> None:
    """Do nothing if a file holds a contract profile.

    Raises:
        StudyError: it does not; names file and key.
    """
    from mateprobe.serialization import contracts_from_data, policy_from_data

    content = profile.content
    if not isinstance(content, dict) or not {"contracts"} <= content.keys() <= {"contracts", "policy"}:
        raise StudyError(f"{profile.path}: expected the keys contracts and, if wanted, policy")
    try:
        contracts_from_data(content["contracts"], "contracts")
        policy_from_data(content.get("policy", {}), "policy")
    except MateProbeError as error:
        raise StudyError(f"{profile.path}: {error}") from None


def _schema_problems(file: YamlFile) -> Iterator[str]:
    errors = own_schema("study").iter_errors(file.content)
    ordered = sorted(errors, key=lambda error: ([str(part) for part in error.absolute_path], error.message))
    # Of two missing keys there are two errors, and one line that names both.
    yield from dict.fromkeys(line for error in ordered for line in _explained(file, error))


def _explained(file: YamlFile, error: Any) -> Iterator[str]:
    key = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        for name in sorted(set(error.instance) - set(known)):
            yield f"{file.where((*key, name))}: unknown key; {one_of(name, known)}"
    elif error.validator == "required":
        missing = sorted(set(error.validator_value) - set(error.instance))
        yield f"{file.where(key)}: expected the key {' and '.join(map(repr, missing))}, found {sorted(error.instance)}"
    elif error.validator == "oneOf":
        if not isinstance(error.instance, dict):
            return  # it has another type, which is told already
        options = [option["required"][0] for option in error.validator_value]
        found = sorted(set(options) & set(error.instance))
        yield f"{file.where(key)}: expected exactly one of the keys {options}, found {found}"
    elif error.validator == "enum":
        yield f"{file.where(key)}: found {error.instance!r}; {one_of(str(error.instance), error.validator_value)}"
    else:
        expected = f"{error.validator} {json.dumps(error.validator_value)} ({_about(error)})"
        yield f"{file.where(key)}: expected {expected}, found {json.dumps(error.instance):.100}"


def _about(error: Any) -> str:
    """Return what the schema says of the key with the error: the nearest description on the way to it."""
    root = node = own_schema("study").schema
    about = root["description"]
    for step in error.absolute_schema_path:
        if isinstance(node, dict) and step not in node:  # the path passes over references
            node = root["$defs"][node["$ref"].rpartition("/")[2]]
        node = node[step]
        about = node.get("description", about) if isinstance(node, dict) else about
    return str(about)


def _reference_problems(file: YamlFile) -> Iterator[str]:
    """Yield what a schema cannot see: names that must agree with other names."""
    yield from _id_problems(file)
    yield from _case_problems(file)
    yield from _agreement_problems(file)
    yield from _gate_problems(file)
    yield from _source_problems(file)
    validators = range(len(file.content["validators"]))
    code = [("cases", "generate"), ("cases", "verify"), ("cases", "published", "rows")]
    for key in [*code, *(("validators", index, name) for index in validators for name in ("callable", "adapter"))]:
        yield from _code_problems(file, key)
    for index, validator in enumerate(file.content["validators"]):
        yield from _profile_problems(file, ("validators", index, "contracts"), validator.get("contracts"))
        yield from _worker_problems(file, ("validators", index), validator)
    yield from _defect_problems(file)


def _id_problems(file: YamlFile) -> Iterator[str]:
    data = file.content
    if data["study"] in RESERVED or data["study"].startswith("evidence_"):
        yield f"{file.where(('study',))}: {data['study']!r} is a rule or a folder of results; choose another id"
    if data["study"] != file.path.stem:
        yield f"{file.where(('study',))}: found {data['study']!r}; expected {file.path.stem!r}, the name of the file"
    if data["study"] in TABLES and "tables" not in data:
        yield f"{file.where(('study',))}: {data['study']!r} is a table; choose another id, or name the study's tables"
    for list_key in ("obligations", "validators"):
        seen: set[str] = set()
        for index, item in enumerate(data[list_key]):
            if item["id"] in seen:
                yield f"{file.where((list_key, index, 'id'))}: {item['id']!r} stands twice; ids must be unique"
            seen.add(item["id"])


def _case_problems(file: YamlFile) -> Iterator[str]:
    """Yield problems of a file of cases, and of keys that say nothing about cases that come from elsewhere."""
    cases = file.content["cases"]
    source = next(key for key in cases if key in SOURCES)
    for key in cases:
        if source not in MEANT_FOR.get(key, (source,)):
            wanted = " or ".join(MEANT_FOR[key])
            yield f"{file.where(('cases', key))}: expected it beside {wanted}, found it beside {source}"
    if source != "file":
        return
    name, where = cases["file"], file.where(("cases", "file"))
    suffix = PurePath(name).suffix
    if suffix not in CASE_FILES:
        yield f"{where}: {name!r} ends in {suffix!r}: {one_of(suffix, CASE_FILES)}"
        return
    try:
        file_below(file.path.parent, name, "cases.file")
    except StudyError as error:
        yield f"{where}: {error}"


def _source_problems(file: YamlFile) -> Iterator[str]:
    """Yield problems of operators and of a pinned archive."""
    from mateprobe.pipeline.operator_entries import problems  # most studies have none

    cases = file.content["cases"]
    if "operators" in cases:
        missing = [key for key in ("baselines", "seed") if key not in cases]
        if missing:
            yield f"{file.where(('cases',))}: expected beside operators the key {' and '.join(missing)}, found none"
        obligations = [obligation["id"] for obligation in file.content["obligations"]]
        for key, problem in problems(cases["operators"], obligations=obligations, schema="schema" in cases):
            yield f"{file.where(('cases', 'operators', *key))}: {problem}"
    if "archive" in cases:
        try:
            archive_named(cases["archive"])
        except StudyError as error:
            yield f"{file.where(('cases', 'archive'))}: {error}"


def _gate_problems(file: YamlFile) -> Iterator[str]:
    """Yield problems of the gate: each of its validators is one of the study and named once; lanes have none."""
    data = file.content
    gate = data.get("gate", [])
    listed = [(("gate",), gate)] if isinstance(gate, dict) else [(("gate", i), item) for i, item in enumerate(gate)]
    validators = [validator["id"] for validator in data["validators"]]
    seen: set[str] = set()
    for key, item in listed:
        id, where = item["validator"], file.where((*key, "validator"))
        if id not in validators:
            yield f"{where}: {id!r}: {one_of(id, validators)}"
        if id in seen:
            yield f"{where}: {id!r} stands twice; one gate a validator"
        seen.add(id)
    if listed and data.get("lanes"):
        yield f"{file.where(('gate',))}: expected none beside lanes, whose figures are never pooled; remove one of them"


def _agreement_problems(file: YamlFile) -> Iterator[str]:
    """Yield problems of the agreement and of the tables, one of which shows it."""
    data = file.content
    validators = [validator["id"] for validator in data["validators"]]
    judged = data.get("agreement", {}).get("validator")
    if judged is not None and judged not in validators:
        yield f"{file.where(('agreement', 'validator'))}: {judged!r}: {one_of(judged, validators)}"
    if judged is not None and data.get("shards", 1) > 1:
        yield f"{file.where(('shards',))}: a study with an agreement has one shard; remove the key"
    for index, table in enumerate(data.get("tables", ())):
        if table not in TABLES:
            yield f"{file.where(('tables', index))}: {table!r}: {one_of(table, TABLES)}"
        elif TABLES[table].artifact == "agreement" and judged is None:
            yield f"{file.where(('tables', index))}: {table!r}: expected the key agreement, which makes its rows"


def _code_problems(file: YamlFile, key: tuple[str | int, ...]) -> Iterator[str]:
    value: Any = file.content
    for part in key:
        value = value.get(part, {}) if isinstance(value, dict) else value[part]
    if not value:
        return
    try:
        code_digest(
            allowed(value.partition(":")[0], file.path.parent / CODE.name), roots=[file.path.parent / CODE.name]
        )
    except MateProbeError as error:
        yield f"{file.where(key)}: {error}"


def _profile_problems(file: YamlFile, key: tuple[str | int, ...], name: str | None) -> Iterator[str]:
    if name is None:
        return
    try:
        check_profile(read_yaml(file_below(file.path.parent, name, key_text(key))))
    except StudyError as error:
        yield f"{file.where(key)}: {error}"


def _worker_problems(file: YamlFile, key: tuple[str | int, ...], validator: Mapping[str, Any]) -> Iterator[str]:
    if "environment" in validator and not {"command", "worker"} & validator.keys():
        yield f"{file.where((*key, 'environment'))}: expected it beside command or worker, found {sorted(validator)}"
    if "worker" in validator:
        module = validator["worker"].partition(":")[0]
        if not is_file(file.path.parent / ADAPTERS.name / f"{module}.py"):
            yield f"{file.where((*key, 'worker'))}: expected a file {ADAPTERS / module}.py, found none"


def _defect_problems(file: YamlFile) -> Iterator[str]:
    """Yield problems of a study of defects: it has a validator for each release, and no other study has one."""
    found = sorted(validator["release"] for validator in file.content["validators"] if "release" in validator)
    name, timelines = (file.content["cases"].get(key) for key in ("defects", "timelines"))
    if found != sorted((EVERY,) if timelines else RELEASES if name else ()):
        wanted = "one, every" if timelines else "one before and one after" if name else "none without cases.defects"
        yield f"{file.where(('validators',))}: expected of validators with a release {wanted}, found {found}"
    if name is None:
        return
    where = file.where(("cases", "defects"))
    try:
        defects = read_defects(file_below(file.path.parent, name, "cases.defects"))["defects"]
    except StudyError as error:
        yield f"{where}: {error}"
        return
    if timelines:
        try:
            listed = read_timelines(file_below(file.path.parent, timelines, "cases.timelines"))
        except StudyError as error:
            yield f"{file.where(('cases', 'timelines'))}: {error}"
            return
        yield from (f"{file.where(('cases', 'timelines'))}: {line}" for line in unknown_defects(listed, defects))
        asked = {id for timeline in listed for id in timeline.defects}
        defects = [defect for defect in defects if defect["id"] in asked]
    obligations = [obligation["id"] for obligation in file.content["obligations"]]
    for defect in defects:
        module = defect["worker"].partition(":")[0]
        if not is_file(file.path.parent / ADAPTERS.name / f"{module}.py"):
            yield f"{where}: defect {defect['id']!r}: expected a file {ADAPTERS / module}.py, found none"
        if defect["obligation"] not in obligations:
            yield f"{where}: defect {defect['id']!r}: {one_of(defect['obligation'], obligations)}"
