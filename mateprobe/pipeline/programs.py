"""Validators that are programs: a command, a function of an adapter, or releases of packages with defects.

All three come down to commands that speak the protocol of ``command``, most of them with the Python of
an environment of their own. Which files such a validator is made from is known before it runs: an argument
may name one in the folder of its study, or one of the project.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mateprobe import worker
from mateprobe.beside import is_file, stays_below
from mateprobe.command import PYTHON, Command, Limits, Reach
from mateprobe.errors import StudyError
from mateprobe.pipeline.environment import at_hand
from mateprobe.pipeline.environments import Environment, environment_name, lock_path, locked_out
from mateprobe.pipeline.files import sha256_file
from mateprobe.pipeline.timelines import Timeline
from mateprobe.runner import Failure, Judgement, Origin

STUDIES = Path("studies")
"""The folder of a study, unless it says otherwise; what begins so in a study lies in the study's own folder."""

ADAPTERS = STUDIES / "_adapters"
"""Where the functions lie that put a package's answers into verdicts; they run in its environment."""

FORMS = ("command", "worker", "routes")
Route = tuple[str, str | None]
"""What decides which program is in charge of a sample: its defect, and its release if it names one."""

WORKER = Path(worker.__file__)


@dataclass(frozen=True, slots=True)
class Program:
    """A command and the requirements of the environment it runs in, none for the pipeline's own."""

    arguments: tuple[str, ...]
    requirements: tuple[str, ...] = ()

    @property
    def environment(self) -> str | None:
        """The environment's name."""
        return environment_name(self.requirements) if self.requirements else None


def is_program(validator: Mapping[str, Any]) -> bool:
    """Tell a validator that is a program from one that runs in the stage itself."""
    return any(form in validator for form in FORMS)


def programs_of(validator: Mapping[str, Any]) -> dict[Route | None, Program]:
    """Return the programs of a validator, by what each is asked about; None where there is one for all."""
    if "releases" in validator:
        return {
            (defect, requirements[0]): _program({**route, "environment": requirements})
            for defect, route in validator["routes"].items()
            for requirements in validator["releases"][route["package"]]
        }
    if "routes" in validator:
        return {(defect, None): _program(route) for defect, route in validator["routes"].items()}
    return {None: _program(validator)}


def _program(form: Mapping[str, Any]) -> Program:
    requirements = tuple(form.get("environment", ()))
    if "command" in form:
        return Program(tuple(form["command"]), requirements)
    module, _, function = form["worker"].partition(":")
    adapter = ADAPTERS / f"{module}.py"
    given = json.dumps(form.get("with", {}), sort_keys=True)
    return Program((PYTHON, str(WORKER), str(adapter), function, given), requirements)


def environments_of(validators: Iterable[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Return the requirements of every environment of these validators, each once."""
    programs = [
        program for validator in validators if is_program(validator) for program in programs_of(validator).values()
    ]
    return list(dict.fromkeys(program.requirements for program in programs if program.requirements))


def made_from(validator: Mapping[str, Any], folder: Path = STUDIES) -> dict[str, Path]:
    """Return the files that decide what the programs of a validator answer, by a name that is no path of here."""
    found: dict[str, Path] = {}
    for program in set(programs_of(validator).values()):
        if program.environment:
            found[lock_path(program.environment).as_posix()] = lock_path(program.environment)
        for argument in program.arguments:
            if argument == str(WORKER):
                found["mateprobe/worker.py"] = WORKER
            else:
                found |= _named_file(argument, folder)
    return dict(sorted(found.items()))


def _named_file(argument: str, folder: Path) -> dict[str, Path]:
    """Return the file an argument names, such as a script, by its name; nothing if it names none."""
    path = Path(argument)
    if path.is_absolute() or ".." in path.parts:
        return {}
    own = path.relative_to(STUDIES) if path.is_relative_to(STUDIES) else path
    places = ((STUDIES / own, folder / own, folder), (path, path, Path()))
    found = ({name.as_posix(): place} for name, place, top in places if is_file(place) and stays_below(place, top))
    return next(found, {})


def digests(validator: Mapping[str, Any], folder: Path = STUDIES) -> dict[str, str]:
    """Return the SHA-256 of every file a validator is made from, by name."""
    return {name: sha256_file(path) for name, path in made_from(validator, folder).items()}


class Programs:
    """The programs of a validator, each run when it is asked; one at a time, as samples of one stand together."""

    def __init__(self, validator: Mapping[str, Any], folder: Path = STUDIES, reads: Iterable[Path] = ()) -> None:
        self._programs = programs_of(validator)
        self._folder = folder
        self._limits = limits_of(validator)
        self._reads = [*reads]
        self._runs = tuple(validator.get("runs", ()))
        names = {program.environment for program in self._programs.values() if program.environment}
        self._environments = {name: at_hand(name) for name in sorted(names)}
        self._current: Program | None = None
        self._command: Command | None = None

    def missing(self) -> list[str]:
        """Return which environments could not be made of their locks, and why."""
        return [
            f"{name}: {environment.unavailable}"
            for name, environment in self._environments.items()
            if environment.unavailable and not locked_out(lock_path(name))
        ]

    @property
    def away(self) -> bool:
        """An environment is missing for no fault of its packages: nothing can be said of them."""
        return any(environment.away for environment in self._environments.values())

    def ask(self, digest: str, sample: Any) -> Judgement:
        """Return what the program in charge says of a sample."""
        program, asked = self._in_charge(sample)
        environment = self._environments.get(program.environment or "")
        if environment and environment.unavailable:
            return Failure(Origin.VALIDATOR, f"unavailable: {environment.unavailable}")
        if program != self._current or self._command is None:
            self.close()
            arguments = _arguments(program, environment, self._folder)
            reads = [WORKER, *self._reads, *_beside(program, self._folder)]
            reach = Reach(tuple(str(path.absolute()) for path in reads), self._runs)
            self._current, self._command = program, Command(arguments, self._limits, reach)
        return self._command.ask(digest, asked)

    def _in_charge(self, sample: Any) -> tuple[Program, Any]:
        if None in self._programs:
            return self._programs[None], sample
        route = sample["defect"], sample.get("release")
        program = self._programs.get(route)
        if program is None:
            raise StudyError(f"sample of defect and release {route!r}: this validator has no program for it")
        return program, sample["input"]

    def close(self) -> None:
        """End the program that runs."""
        if self._command:
            self._command.close()
        self._command = None


def limits_of(validator: Mapping[str, Any]) -> Limits:
    """Return what a validator may take for each sample."""
    return Limits(**{limit: validator[limit] for limit in ("seconds", "memory_mb") if limit in validator})


def _beside(program: Program, folder: Path) -> Iterator[Path]:
    """Yield what the program may read for the files it names: each, and the folder of the study's own it lies in."""
    for argument in program.arguments:
        for path in _named_file(argument, folder).values():
            own = path.relative_to(folder).parts if path.is_relative_to(folder) else ()
            yield folder / own[0] if len(own) > 1 else path


def _arguments(program: Program, environment: Environment | None, folder: Path) -> Sequence[str]:
    named = {argument: path for argument in program.arguments for path in _named_file(argument, folder).values()}
    first, *rest = [
        str(named[argument].absolute()) if argument in named else argument for argument in program.arguments
    ]
    if program.arguments[0] != PYTHON:
        return [first, *rest]
    interpreter = str(environment.interpreter) if environment else sys.executable
    return [interpreter, "-I", *rest]  # -I: its own packages and nothing of the user's


def routes(defects: Iterable[Mapping[str, Any]], release: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each defect's id with the environment of one of its releases and the function that asks it."""
    for defect in defects:
        yield defect["id"], {"environment": defect[release], "worker": defect["worker"]}


def every_release(defects: Iterable[Mapping[str, Any]], timelines: Iterable[Timeline]) -> dict[str, Any]:
    """Return the routes of the defects that timelines are about, and the environments of every release in these."""
    timelines = [*timelines]
    wanted = {id for timeline in timelines for id in timeline.defects}
    return {
        "routes": {
            defect["id"]: {"worker": defect["worker"], "package": defect["package"]}
            for defect in defects
            if defect["id"] in wanted
        },
        "releases": {timeline.package: timeline.environments for timeline in timelines},
    }
