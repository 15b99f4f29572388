"""Study files: one loader for the workflow, the stages and the command line.

A stage is given only its own section of a study, so a changed title reruns nothing and a changed
seed reruns one chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mateprobe.beside import file_below, is_file
from mateprobe.errors import StudyError, one_of
from mateprobe.pipeline.case_sources import spelled_out
from mateprobe.pipeline.defects import read_defects
from mateprobe.pipeline.environments import LOCKS, environment_name
from mateprobe.pipeline.programs import environments_of, every_release, routes
from mateprobe.pipeline.section import FOLDER, parts, validator_files
from mateprobe.pipeline.study_problems import check_profile, problems_of
from mateprobe.pipeline.timelines import EVERY, read_timelines
from mateprobe.pipeline.yaml_file import YamlFile, read_yaml

STUDIES = Path("studies")
NEEDED = {"agreement": "agreement", "fixes": "defects", "gate": "gate"}
"""The keys without which a study has no use for a stage."""


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
        made_of = [validator_files({"validator": validator, **self._folder}) for validator in self.data["validators"]]
        parts_of = [path.as_posix() for files in made_of for path in files.values()]
        return [*evidence, *cases.get("from", {}).values(), *frozen, *parts_of]

    @property
    def pooled(self) -> bool:
        """Whether figures may span obligations; not where obligations are lanes of different kinds."""
        return not self.data.get("lanes", False)

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables the study has rows in; one of its own, called like the study, if it names none."""
        return tuple(self.data.get("tables", (self.id,)))

    @property
    def gates(self) -> list[dict[str, Any]]:
        """What its validators must reach: validator, detection and preservation each, as shares from 0 to 1."""
        given = self.data.get("gate", [])
        listed = [given] if isinstance(given, dict) else given
        return [{"detection": 1.0, "preservation": 1.0, **gate} for gate in listed]

    @property
    def stages(self) -> list[str]:
        """Its stages, each as its receipt and its log are called."""
        once = ["cases", "summary", *(["statistics"] if self.pooled else [])]
        wanted = [stage for stage, key in NEEDED.items() if key in self.data]
        outcomes = [f"outcomes.{validator}" for validator in self.validators]
        observed = [part for validator in self.validators for part in parts(validator, self.shards)]
        return [*once, *wanted, *outcomes, *(f"observe.{part}" for part in observed)]

    def section(self, stage: str, validator: str | None = None) -> dict[str, Any]:
        """Return what ``stage`` depends on, as JSON data.

        Raises:
            StudyError: the study has no such validator or no such stage.
        """
        obligations = [obligation["id"] for obligation in self.data["obligations"]]
        sections: dict[str, dict[str, Any]] = {
            "cases": {"cases": self.data["cases"], "obligations": obligations, **self._folder},
            "outcomes": {"comparators": self.data.get("comparators", []), "shards": self.shards},
            "summary": {
                "obligations": self.data["obligations"],
                "validators": list(self.validators),
                "pooled": self.pooled,
            },
            "statistics": {"validators": list(self.validators), "seed": 1729, "replicates": 10_000},
            "agreement": {**self.data.get("agreement", {}), "validators": list(self.validators)},
            "fixes": {"defects": self.data.get("defects"), "validators": self.releases},
            "gate": {"gates": self.gates},
            "manifest": {},
            "page": {
                "title": self.data.get("title", self.id),
                "description": self.data.get("description", ""),
                "validators": list(self.validators),
                "tables": list(self.tables),
                "pooled": self.pooled,
            },
        }
        if validator is not None and stage == "observe":
            reads = {key: self.data["cases"][key] for key in ("reads",) if key in self.data.get("cases", {})}
            sections["observe"] = {
                "validator": self._validator(validator),
                "shards": self.shards,
                **reads,
                **self._replay,
                **self._folder,
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
    def _folder(self) -> dict[str, str]:
        return {FOLDER: self.path.parent.as_posix()}

    @property
    def _replay(self) -> dict[str, bool]:
        return {"replay": self.data["replay"]} if "replay" in self.data else {}

    def _validator(self, id: str) -> Mapping[str, Any]:
        for validator in self.data["validators"]:
            if validator["id"] == id:
                return dict(validator)
        raise StudyError(f"{self.path}: validator {id!r}: {one_of(id, self.validators)}")


def load_studies(folder: Path = STUDIES, only: Iterable[str] = ()) -> dict[str, Study]:
    """Read and check every study of ``folder``, by id in sorted order.

    Args:
        folder: where the study files are.
        only: ids of those to read; what is wrong with others then stops nobody. None means all.

    Raises:
        StudyError: every problem of every file, one a line; or an id in ``only`` that is none.
    """
    paths = study_files(folder)
    if not paths:
        raise StudyError(f"{folder}: expected study files *.yaml, found none")
    ids = {path.stem for path in paths}
    wanted = ({only} if isinstance(only, str) else {*only}) or ids
    for id in sorted(wanted - ids):
        raise StudyError(f"{folder}: study {id!r}: {one_of(id, ids)}")
    studies, problems = read_studies(path for path in paths if path.stem in wanted)
    if problems:
        raise StudyError("\n".join(problems))
    return {id: studies[id] for id in sorted(studies)}


def study_files(folder: Path) -> list[Path]:
    """Return the study files of a folder, sorted: YAML files whose name does not begin with ``_``."""
    return sorted(path for pattern in ("*.yaml", "*.yml") for path in folder.glob(pattern) if path.name[0] != "_")


def read_studies(paths: Iterable[Path]) -> tuple[dict[str, Study], list[str]]:
    """Return the studies that can be used, by id, and every problem of the others."""
    studies: dict[str, Study] = {}
    problems: list[str] = []
    for path in paths:
        try:
            study = load_study(path)
        except StudyError as error:
            problems.append(str(error))
            continue
        if study.id in studies:
            problems.append(f"{path}: study {study.id!r} is also {studies[study.id].path}; ids must be unique")
        studies[study.id] = study
    return studies, problems


def load_study(path: Path, *, locked: bool = True) -> Study:
    """Read and check one study file.

    Args:
        path: the file.
        locked: whether every environment must have its lock file.

    Raises:
        StudyError: every problem of the file, one a line, each with file, line and key.
    """
    file = read_yaml(path)
    if problems := problems_of(file):
        raise StudyError("\n".join(problems))
    content, defects = file.content, _defects(file)
    made = {"cases": spelled_out(content["cases"]), **defects}
    data = {**content, **made, "validators": [_resolved(file, validator) for validator in content["validators"]]}
    study = Study(data["study"], path, data)
    if locked and (unlocked := [*_unlocked(file, study)]):
        raise StudyError("\n".join(unlocked))
    return study


def _defects(file: YamlFile) -> dict[str, Any]:
    """Return the cases and the path of a file of defects, as the stages want them; nothing of other studies."""
    named = file.content["cases"]
    if "defects" not in named:
        return {}
    if "timelines" in named:
        made_of = {key: f"{STUDIES}/{named[key]}" for key in ("defects", "timelines")}
        return {"cases": {"generate": "mateprobe.pipeline.corpora.timeline:cases", "from": made_of}}
    name = named["defects"]
    return {
        "defects": file_below(file.path.parent, name, "cases.defects").as_posix(),
        "cases": {"generate": "mateprobe.pipeline.corpora.defects:cases", "from": {"defects": f"{STUDIES}/{name}"}},
    }


def _resolved(file: YamlFile, validator: Mapping[str, Any]) -> dict[str, Any]:
    """Return the validator with the content of its profile, or of its file of defects, in place of a name."""
    if "release" in validator:
        named = file.content["cases"]
        defects = read_defects(file_below(file.path.parent, named["defects"], "cases.defects"))["defects"]
        if validator["release"] == EVERY:
            timelines = read_timelines(file_below(file.path.parent, named["timelines"], "cases.timelines"))
            return {**validator, **every_release(defects, timelines)}
        return {**validator, "routes": dict(routes(defects, validator["release"]))}
    if "contracts" not in validator:
        return dict(validator)
    profile = read_yaml(file_below(file.path.parent, validator["contracts"], "contracts"))
    check_profile(profile)
    return {**validator, "contracts": profile.content["contracts"], "policy": profile.content.get("policy", {})}


def _unlocked(file: YamlFile, study: Study) -> Iterator[str]:
    """Yield a line for each environment without a lock; locks are the project's, wherever the study lies."""
    told: set[str] = set()
    for index, validator in enumerate(study.data["validators"]):
        for name in map(environment_name, environments_of([validator])):
            if name not in told and not is_file(LOCKS / f"{name}.txt"):
                where = file.where(("validators", index, "environment"))
                yield f"{where}: no lock {LOCKS / name}.txt; run `python -m mateprobe.pipeline lock {study.id}`"
            told.add(name)
