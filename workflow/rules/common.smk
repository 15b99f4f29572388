import shlex
import sys
from pathlib import Path

# Studies are read once; everything rules need to know of them is a function of wildcards here.
from mateprobe.pipeline.cases import given
from mateprobe.pipeline.claims import artifacts_of, load_claims
from mateprobe.pipeline.code import code_digest
from mateprobe.pipeline.environment import receipt_path
from mateprobe.pipeline.programs import is_program, made_from, programs_of
from mateprobe.pipeline.section import agreement_inputs, parts, read_by_generator, section_json
from mateprobe.pipeline.studies import load_studies
from mateprobe.pipeline.table_specs import TABLES

CLAIMS = load_claims()
STUDIES = load_studies(Path(config["studies"]), config["only"])

# Jobs run under the Python that runs the workflow, also where its environment is not activated.
shell.prefix(f"PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH; ")


wildcard_constraints:
    study="|".join(STUDIES),
    validator="[a-z][a-z0-9_-]*",
    shard="|".join(["", r"\.[0-9]{4}"]),
    table="|".join(TABLES),
    environment="[a-z0-9][a-z0-9.-]*",


def section(stage):
    """Return the params function for a stage's section of its study, as JSON."""
    return lambda wildcards: section_json(STUDIES[wildcards.study].section(stage, wildcards.get("validator")))


def code(stage):
    """Return the params function for the digest of a stage's code: an edit there reruns the stage."""
    return lambda wildcards: STUDIES[wildcards.study].code(stage, wildcards.get("validator"))


def case_sources(wildcards):
    """Return the files a study's cases come from."""
    source = STUDIES[wildcards.study].data["cases"]
    member = [f"results/evidence/{source['evidence']}"] if "evidence" in source else []
    return member + read_by_generator(source) + list(given(source).values())


def read_files(wildcards):
    """Return the files a study's validators read beside their samples, as its cases declare them."""
    return read_by_generator(STUDIES[wildcards.study].data.get("cases", {}))


def recorded_profile(wildcards):
    """Return the file a validator's profile was recorded in, if it was."""
    validator = STUDIES[wildcards.study].section("observe", wildcards.validator)["validator"]
    return [validator["configuration"]] if "configuration" in validator else []


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
    files = [path for name, path in made_from(validator).items() if name != "mateprobe/worker.py"]
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
    stages = ["cases", "summary"] + ["statistics"] * study.pooled + ["agreement"] * ("agreement" in study.data)
    stages += ["fixes"] * ("defects" in study.data)
    stages += [f"outcomes.{validator}" for validator in study.validators]
    stages += [f"observe.{part}" for validator in study.validators for part in parts(validator, study.shards)]
    receipts = [f"results/{study.id}/receipts/{stage}.json" for stage in stages]
    return receipts + sorted({receipt for path in study.sources if (receipt := receipt_of(path))})


def receipt_of(path):
    """Return the receipt of the stage that makes an artifact, or None of a file that is no artifact."""
    parts = Path(path).parts
    if parts[0] != "results":
        return None
    if parts[1] == "evidence":
        return "results/evidence/receipt.json"
    stage = {"cases.jsonl": "cases"}.get(parts[2]) or f"{parts[2]}.{Path(path).stem}"
    return f"results/{parts[1]}/receipts/{stage}.json"


def table_studies(table):
    """Return the ids of the studies with rows in a table."""
    return [id for id, study in STUDIES.items() if table in study.tables]


def table_inputs(wildcards):
    """Return the artifacts a table is made from."""
    table = TABLES[wildcards.table]
    return [path for study in table_studies(wildcards.table) for path in table.inputs(study, STUDIES[study].validators)]


def manifests(wildcards):
    """Return the manifest of every study."""
    return [f"results/{study}/manifest.json" for study in STUDIES]


def tables(wildcards):
    """Return every table that some study has rows in."""
    return [f"results/tables/{table}.json" for table in TABLES if table_studies(table)]


def claim_targets(wildcards):
    """Return the claims of the report, if every study they are computed from is being made."""
    studies = {Path(path).parts[1] for path in artifacts_of(CLAIMS.values())} - {"tables"}
    return ["results/paper/claims.json"] if studies <= STUDIES.keys() else []
