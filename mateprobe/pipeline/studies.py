"""Study files: one loader for the workflow, the stages and the command line.

A stage is given only its own section of a study, so a changed title reruns nothing and a changed
seed reruns one chain.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from mateprobe.errors import MateProbeError, StudyError, one_of
from mateprobe.pipeline.code import code_digest
from mateprobe.pipeline.defects import RELEASES, read_defects
from mateprobe.pipeline.environments import LOCKS, environment_name
from mateprobe.pipeline.named_code import CODE, allowed
from mateprobe.pipeline.programs import ADAPTERS, environments_of, routes
from mateprobe.pipeline.section import stage_code
from mateprobe.pipeline.table_specs import TABLES
from mateprobe.pipeline.yaml_file import YamlFile, key_text, read_yaml

STUDIES = Path("studies")
NEEDED = {"agreement": "agreement", "fixes": "defects"}
"""The keys without which a study has no use for a stage."""
RESERVED = frozenset({
    "agreement", "all", "benchmarks", "cases", "claims", "environment", "environments", "evidence", "figures", "fixes", "logs",
    "manifest", "observe", "outcomes", "paper", "statistics", "summary", "tables", "verify",
})  # fmt: skip
"""What no study may be called: the rules of the workflow, and the other folders of results."""


@dataclass(frozen=True, slots=True)
class Study:
    """A checked study: ``data`` is the file's content with its contract profiles filled in."""

    id: str
    path: Path
    data: Mapping[str, Any]

    @property
    def validators(self) -> tuple[str, ...]:
        """The validators' ids, in the order of the file."""
        return tuple(validator["id"] for validator in self.data["validators"])

    @property
    def shards(self) -> int:
        """Over how many jobs a validator's samples are spread."""
        return int(self.data.get("shards", 1))

    @property
    def sources(self) -> list[str]:
        """Artifacts outside the study that it is made from."""
        cases = self.data["cases"]
        evidence = [f"results/evidence/{cases['evidence']}"] if "evidence" in cases else []
        agreement = self.data.get("agreement", {"frozen": {}})
        frozen = [f"results/evidence/{member}" for member in agreement["frozen"].values()]
        recorded = [validator["configuration"] for validator in self.data["validators"] if "configuration" in validator]
        return [*evidence, *cases.get("from", {}).values(), *frozen, *recorded]

    @property
    def pooled(self) -> bool:
        """Whether figures may span obligations; not where obligations are lanes of different kinds."""
        return not self.data.get("lanes", False)

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables the study has rows in."""
        return tuple(self.data.get("tables", ()))

    def section(self, stage: str, validator: str | None = None) -> dict[str, Any]:
        """Return what ``stage`` depends on, as JSON data.

        Raises:
            StudyError: the study has no such validator or no such stage.
        """
        obligations = [obligation["id"] for obligation in self.data["obligations"]]
        sections: dict[str, dict[str, Any]] = {
            "cases": {"cases": self.data["cases"], "obligations": obligations},
            "outcomes": {"comparators": self.data.get("comparators", []), "shards": self.shards},
            "summary": {
                "obligations": self.data["obligations"],
                "validators": list(self.validators),
                "pooled": self.pooled,
            },
            "statistics": {"validators": list(self.validators), "seed": 1729, "replicates": 10_000},
            "agreement": {**self.data.get("agreement", {}), "validators": list(self.validators)},
            "fixes": {"defects": self.data.get("defects"), "validators": self.releases},
            "manifest": {},
        }
        if validator is not None and stage == "observe":
            reads = {key: self.data["cases"][key] for key in ("reads",) if key in self.data.get("cases", {})}
            sections["observe"] = {
                "validator": self._validator(validator),
                "shards": self.shards,
                **reads,
                **self._replay,
            }
        if stage not in sections:
            raise StudyError(f"{self.path}: stage {stage!r}: {one_of(stage, sections)}")
        if (key := NEEDED.get(stage, "cases")) not in self.data:
            raise StudyError(f"{self.path}: stage {stage!r}: expected the key {key}, found none")
        return {"study": self.id, **sections[stage]}

    @property
    def releases(self) -> dict[str, str]:
        """The validator of each release, in a study of defects."""
        return {
            validator["release"]: validator["id"] for validator in self.data["validators"] if "release" in validator
        }

    @property
    def environments(self) -> list[str]:
        """The names of the environments its validators run in."""
        return [environment_name(requirements) for requirements in environments_of(self.data["validators"])]

    @property
    def _replay(self) -> dict[str, bool]:
        return {"replay": self.data["replay"]} if "replay" in self.data else {}

    def _validator(self, id: str) -> Mapping[str, Any]:
        for validator in self.data["validators"]:
            if validator["id"] == id:
                return dict(validator)
        raise StudyError(f"{self.path}: validator {id!r}: {one_of(id, self.validators)}")

    def code(self, stage: str, validator: str | None = None) -> str:
        """Return the digest of the code behind a stage of this study."""
        return stage_code(stage, self.section(stage, validator))


def load_studies(folder: Path = STUDIES, only: Iterable[str] | None = None) -> dict[str, Study]:
    """Read and check every study of ``folder``, by id in sorted order.

    Files whose name begins with ``_`` are no studies.

    Args:
        folder: where the study files are.
        only: ids to keep; the others are still checked.

    Raises:
        StudyError: every problem of every file, one a line; or an id in ``only`` that is none.
    """
    studies: dict[str, Study] = {}
    problems: list[str] = []
    paths = sorted(path for pattern in ("*.yaml", "*.yml") for path in folder.glob(pattern) if path.name[0] != "_")
    for path in paths:
        try:
            study = load_study(path)
        except StudyError as error:
            problems.append(str(error))
            continue
        if study.id in studies:
            problems.append(f"{path}: study {study.id!r} is also {studies[study.id].path}; ids must be unique")
        studies[study.id] = study
    if problems:
        raise StudyError("\n".join(problems))
    if not studies:
        raise StudyError(f"{folder}: expected study files *.yaml, found none")
    for id in only or ():
        if id not in studies:
            raise StudyError(f"{folder}: study {id!r}: {one_of(id, studies)}")
    return {id: studies[id] for id in sorted(set(only) if only else studies)}


def load_study(path: Path, *, locked: bool = True) -> Study:
    """Read and check one study file.

    Args:
        path: the file.
        locked: whether every environment must have its lock file.

    Raises:
        StudyError: every problem of the file, one a line, each with file, line and key.
    """
    file = read_yaml(path)
    problems = [*_schema_problems(file)] or [*_reference_problems(file)]
    if problems:
        raise StudyError("\n".join(problems))
    content, defects = file.content, _defects(file)
    data = {**content, **defects, "validators": [_resolved(file, validator) for validator in content["validators"]]}
    study = Study(data["study"], path, data)
    if locked and (unlocked := [*_unlocked(study)]):
        raise StudyError("\n".join(unlocked))
    return study


def _defects(file: YamlFile) -> dict[str, Any]:
    """Return the cases and the path of a file of defects, as the stages want them; nothing of other studies."""
    if "defects" not in file.content["cases"]:
        return {}
    path = below(file.path.parent, file.content["cases"]["defects"], "cases.defects").as_posix()
    return {
        "defects": path,
        "cases": {"generate": "mateprobe.pipeline.corpora.defects:cases", "from": {"defects": path}},
    }


def _resolved(file: YamlFile, validator: Mapping[str, Any]) -> dict[str, Any]:
    """Return the validator with the content of its profile, or of its file of defects, in place of a name."""
    if "release" in validator:
        path = below(file.path.parent, file.content["cases"]["defects"], "cases.defects")
        return {**validator, "routes": dict(routes(read_defects(path)["defects"], validator["release"]))}
    if "contracts" not in validator:
        return dict(validator)
    profile = read_yaml(below(file.path.parent, validator["contracts"], "contracts"))
    _check_profile(profile)
    return {**validator, "contracts": profile.content["contracts"], "policy": profile.content.get("policy", {})}


def _unlocked(study: Study) -> Iterator[str]:
    for name in study.environments:
        if not (study.path.parent / LOCKS.name / f"{name}.txt").is_file():
            yield f"{study.path}: no lock {LOCKS / name}.txt; run `python -m mateprobe.pipeline lock {study.id}`"


def _check_profile(profile: YamlFile) -> None:
    from mateprobe.serialization import contracts_from_data, policy_from_data

    content = profile.content
    if not isinstance(content, dict) or not {"contracts"} <= content.keys() <= {"contracts", "policy"}:
        raise StudyError(f"{profile.path}: expected the keys contracts and, if wanted, policy")
    try:
        contracts_from_data(content["contracts"], "contracts")
        policy_from_data(content.get("policy", {}), "policy")
    except MateProbeError as error:
        raise StudyError(f"{profile.path}: {error}") from None


def below(folder: Path, name: str, key: str) -> Path:
    """Return ``folder / name`` if that stays below ``folder``.

    Raises:
        StudyError: an absolute path, one that leaves the folder, or no file.
    """
    path = folder / name
    if Path(name).is_absolute() or not path.resolve().is_relative_to(folder.resolve()):
        raise StudyError(f"{key}={name!r}: expected a path that stays below {folder}")
    if not path.is_file():
        raise StudyError(f"{key}={name!r}: expected a file below {folder}, found none")
    return path


@cache
def _validator() -> Any:
    from jsonschema import Draft202012Validator

    schema = files("mateprobe").joinpath("schemas", "study.schema.json").read_text("utf-8")
    schema = schema.replace('$"', r'\\Z"')  # in JSON Schema $ is the end; Python's also stands before a last line break
    return Draft202012Validator(json.loads(schema))


def _schema_problems(file: YamlFile) -> Iterator[str]:
    errors = _validator().iter_errors(file.content)
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
    elif error.validator == "oneOf" and isinstance(error.instance, dict):
        options = [option["required"][0] for option in error.validator_value]
        yield f"{file.where(key)}: expected exactly one of the keys {options}, found {sorted(error.instance)}"
    elif error.validator == "enum":
        yield f"{file.where(key)}: found {error.instance!r}; {one_of(str(error.instance), error.validator_value)}"
    else:
        about = error.schema.get("description", "")
        expected = f"{error.validator} {json.dumps(error.validator_value)}" + f" ({about})" * bool(about)
        yield f"{file.where(key)}: expected {expected}, found {json.dumps(error.instance):.100}"


def _reference_problems(file: YamlFile) -> Iterator[str]:
    """Yield what a schema cannot see: names that must agree with other names."""
    yield from _id_problems(file)
    yield from _agreement_problems(file)
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
    if data["study"] in RESERVED:
        yield f"{file.where(('study',))}: {data['study']!r} is a rule or a folder of results; choose another id"
    if data["study"] != file.path.stem:
        yield f"{file.where(('study',))}: found {data['study']!r}; expected {file.path.stem!r}, the name of the file"
    for list_key in ("obligations", "validators"):
        seen: set[str] = set()
        for index, item in enumerate(data[list_key]):
            if item["id"] in seen:
                yield f"{file.where((list_key, index, 'id'))}: {item['id']!r} stands twice; ids must be unique"
            seen.add(item["id"])


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
        _check_profile(read_yaml(below(file.path.parent, name, key_text(key))))
    except StudyError as error:
        yield f"{file.where(key)}: {error}"


def _worker_problems(file: YamlFile, key: tuple[str | int, ...], validator: Mapping[str, Any]) -> Iterator[str]:
    if "environment" in validator and not {"command", "worker"} & validator.keys():
        yield f"{file.where((*key, 'environment'))}: expected it beside command or worker, found {sorted(validator)}"
    if "worker" in validator:
        module = validator["worker"].partition(":")[0]
        if not (file.path.parent / ADAPTERS.name / f"{module}.py").is_file():
            yield f"{file.where((*key, 'worker'))}: expected a file {ADAPTERS / module}.py, found none"


def _defect_problems(file: YamlFile) -> Iterator[str]:
    """Yield problems of a study of defects: it has a validator for each release, and no other study has one."""
    found = sorted(validator["release"] for validator in file.content["validators"] if "release" in validator)
    name = file.content["cases"].get("defects")
    if found != sorted(RELEASES if name else ()):
        wanted = "one before and one after" if name else "none without cases.defects"
        yield f"{file.where(('validators',))}: expected of validators with a release {wanted}, found {found}"
    if name is None:
        return
    where = file.where(("cases", "defects"))
    try:
        defects = read_defects(below(file.path.parent, name, "cases.defects"))["defects"]
    except StudyError as error:
        yield f"{where}: {error}"
        return
    obligations = [obligation["id"] for obligation in file.content["obligations"]]
    for defect in defects:
        module = defect["worker"].partition(":")[0]
        if not (file.path.parent / ADAPTERS.name / f"{module}.py").is_file():
            yield f"{where}: defect {defect['id']!r}: expected a file {ADAPTERS / module}.py, found none"
        if defect["obligation"] not in obligations:
            yield f"{where}: defect {defect['id']!r}: {one_of(defect['obligation'], obligations)}"
