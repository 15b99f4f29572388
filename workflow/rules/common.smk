import os
import shlex
import sys
from functools import cache
from pathlib import Path

# Studies are read once; everything rules need to know of them is a function of wildcards here.
from mateprobe.canonical import digest
from mateprobe.pipeline.cases import case_inputs
from mateprobe.pipeline.claims import load_claims
from mateprobe.pipeline import code as our_code
from mateprobe.pipeline.environment import receipt_path
from mateprobe.pipeline.figure_specs import find, to_draw
from mateprobe.pipeline.made import of_all, of_page, of_study, rows_of
from mateprobe.pipeline.page import front_inputs, study_inputs
from mateprobe.pipeline.paper import SOURCE, read_by
from mateprobe.pipeline.pins import FOLDER, load_archives
from mateprobe.pipeline.programs import is_program, made_from, programs_of
from mateprobe.pipeline.section import (
    agreement_inputs,
    code_folder,
    parts,
    read_by_generator,
    section_json,
    stage_modules,
    validator_files,
)
from mateprobe.pipeline.stage import locked_packages
from mateprobe.pipeline.studies import load_studies
from mateprobe.pipeline.study_protocol import protocol_input
from mateprobe.pipeline.table_specs import table_called, together

ARCHIVES = load_archives()
MEMBERS = {path: str(archive.receipt) for archive in ARCHIVES.values() for path in archive.files.values()}
CLAIMS = load_claims()
STUDIES = load_studies(Path(config["studies"]), config["only"])
MADE = sorted({table for study in STUDIES.values() for table in study.tables})

# Jobs run under the Python that runs the workflow, also where its environment is not activated.
shell.prefix(f"PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH; ")

# Every artifact is a target: of what is only on the way to one, Snakemake would not miss what was removed.
EVERYTHING = of_all(STUDIES, ARCHIVES.values(), CLAIMS, fresh=config["fresh"]).files


wildcard_constraints:
    study="|".join(STUDIES),
    validator="[a-z][a-z0-9_-]*",
    shard="|".join(["", r"\.[0-9]{4}"]),
    environment="[a-z0-9][a-z0-9.-]*",


def code_digest(*modules, roots=()):
    """Return the digest of code and of the packages it runs with: another version of one reruns it."""
    return digest([our_code.code_digest(*modules, roots=roots), locked_packages()])


def section(stage):
    """Return the params function for a stage's section of its study, as JSON."""
    return lambda wildcards: section_json(STUDIES[wildcards.study].section(stage, wildcards.get("validator")))


def code(stage):
    """Return the params function for the digest of a stage's code: an edit there reruns the stage."""

    def of_job(wildcards):
        section = STUDIES[wildcards.study].section(stage, wildcards.get("validator"))
        return code_of(stage_modules(stage, section), code_folder(section))

    return of_job


@cache
def code_of(modules, folder):
    """Return the digest of these modules' code, read once however many studies share it."""
    return code_digest(*modules, roots=[folder])


def case_sources(wildcards):
    """Return the files a study's cases come from, and its protocol."""
    return list(case_inputs(STUDIES[wildcards.study].section("cases")).values())


def read_files(wildcards):
    """Return the files a study's validators read beside their samples, as its cases declare them."""
    return read_by_generator(STUDIES[wildcards.study].data.get("cases", {}))


def files_of_validator(wildcards):
    """Return the files a validator is made from: a recorded profile, JSON Schemas."""
    return list(validator_files(STUDIES[wildcards.study].section("observe", wildcards.validator)).values())


def program_of(wildcards):
    """Return the validator as its study describes it, if it is a program."""
    validator = STUDIES[wildcards.study].section("observe", wildcards.validator)["validator"]
    return validator if is_program(validator) else None


def is_fresh(wildcards):
    """Tell whether a program is to run anew, whatever is stored or frozen."""
    return bool(config["fresh"] and program_of(wildcards))


def program_files(wildcards):
    """Return what a program is made from, and the receipts of its environments unless it is replayed."""
    validator = program_of(wildcards)
    if validator is None:
        return []
    made_of = made_from(validator, STUDIES[wildcards.study].path.parent)
    files = [path for name, path in made_of.items() if name != "mateprobe/worker.py"]
    if STUDIES[wildcards.study].data.get("replay") and not config["fresh"]:
        return files
    names = {program.environment for program in programs_of(validator).values() if program.environment}
    return files + [str(receipt_path(name)) for name in sorted(names)]


def observation_files(wildcards):
    """Return a validator's observations, one file a shard."""
    return [
        f"results/{wildcards.study}/observations/{part}.jsonl"
        for part in parts(wildcards.validator, STUDIES[wildcards.study].shards)
    ]


def outcome_files(wildcards):
    """Return the outcomes of all validators of a study."""
    return [
        f"results/{wildcards.study}/outcomes/{validator}.jsonl" for validator in STUDIES[wildcards.study].validators
    ]


def agreement_files(wildcards):
    """Return what a study is held against its frozen report with."""
    return list(agreement_inputs(STUDIES[wildcards.study].section("agreement")).values())


def study_receipts(wildcards):
    """Return the receipts of all stages of a study, and of the evidence it stands on."""
    study = STUDIES[wildcards.study]
    receipts = [f"results/{study.id}/receipts/{stage}.json" for stage in study.stages]
    return receipts + sorted({receipt for path in study.sources if (receipt := receipt_of(path))})


def protocol_of(wildcards):
    """Return a study's protocol, if it has one."""
    return list(protocol_input(wildcards.study).values())


def receipt_of(path):
    """Return the receipt of the stage that makes an artifact, or None of a file that is no artifact."""
    parts = Path(path).parts
    if parts[0] != "results":
        return None
    if parts[1] == "evidence":
        return MEMBERS.get(Path(path))
    stage = {"cases.jsonl": "cases"}.get(parts[2]) or f"{parts[2]}.{Path(path).stem}"
    return f"results/{parts[1]}/receipts/{stage}.json"


def artifacts_for(table, studies):
    """Return the artifacts with the rows of a table, for some studies."""
    return [path for study in studies for path in table.inputs(study, STUDIES[study].validators)]


# The artifacts each table is made from, of the tables that are made together.
TOGETHER = {
    family: {table: artifacts_for(table_called(table), rows_of(table, STUDIES)) for table in tables}
    for family, tables in together(MADE).items()
}
# The artifacts each figure is drawn from, of every figure that some study has rows for.
FIGURES = {
    name: artifacts_for(figure.source, studies)
    for name, (figure, studies) in to_draw({table: rows_of(table, STUDIES) for table in MADE}).items()
}


# The page shows the claims if every study is being made that they are about.
PAGE = of_page(STUDIES)
PAGE_CLAIMS = [path for path in EVERYTHING if path == Path("results/paper/claims.json")]


def page_inputs(wildcards):
    """Return what the page is made from: its own files, the artifacts of all studies, figures and claims."""
    artifacts = [path for study in STUDIES.values() for path in study_inputs(study).values()]
    front = front_inputs(STUDIES, next(iter(PAGE_CLAIMS), None)).values()
    return sorted({os.path.relpath(path) for path in (*artifacts, *front)})
