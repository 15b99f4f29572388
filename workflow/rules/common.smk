import shlex
import sys
from pathlib import Path

# Studies are read once; everything rules need to know of them is a function of wildcards here.
from mateprobe.pipeline.code import code_digest
from mateprobe.pipeline.section import section_json
from mateprobe.pipeline.studies import load_studies
from mateprobe.pipeline.tables import TABLES

STUDIES = load_studies(Path(config["studies"]), config["only"])

# Jobs run under the Python that runs the workflow, also where its environment is not activated.
shell.prefix(f"PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH; ")


wildcard_constraints:
    study="|".join(STUDIES),
    validator="[a-z][a-z0-9_-]*",
    table="|".join(TABLES),


def section(stage):
    """Return the params function for a stage's section of its study, as JSON."""
    return lambda wildcards: section_json(STUDIES[wildcards.study].section(stage, wildcards.get("validator")))


def code(stage):
    """Return the params function for the digest of a stage's code: an edit there reruns the stage."""
    return lambda wildcards: STUDIES[wildcards.study].code(stage, wildcards.get("validator"))


def evidence_member(wildcards):
    """Return the published file a study's cases come from, if they do."""
    member = STUDIES[wildcards.study].data["cases"].get("evidence")
    return [f"results/evidence/{member}"] if member else []


def outcome_files(wildcards):
    """Return the outcomes of all validators of a study."""
    return [
        f"results/{wildcards.study}/outcomes/{validator}.jsonl"
        for validator in STUDIES[wildcards.study].validators
    ]


def frozen_reports(wildcards):
    """Return the published files a study is held against."""
    agreement = STUDIES[wildcards.study].data["agreement"]
    return [f"results/evidence/{agreement[member]}" for member in ("campaign", "summary")]


def judged(stage):
    """Return the input function for what a study's agreed-on validator left in a stage."""
    return lambda wildcards: "results/{study}/{stage}/{validator}.jsonl".format(
        study=wildcards.study,
        stage=stage,
        validator=STUDIES[wildcards.study].data["agreement"]["validator"],
    )


def study_receipts(wildcards):
    """Return the receipts of all stages of a study, and of the evidence it stands on."""
    study = STUDIES[wildcards.study]
    stages = ["cases", "summary", *["agreement"] * ("agreement" in study.data)]
    stages += [f"{stage}.{validator}" for stage in ("observe", "outcomes") for validator in study.validators]
    receipts = [f"results/{study.id}/receipts/{stage}.json" for stage in stages]
    return receipts + ["results/evidence/receipt.json"] * ("evidence" in study.data["cases"])


def table_studies(table):
    """Return the ids of the studies with rows in a table."""
    return [id for id, study in STUDIES.items() if table in study.tables]


def table_inputs(wildcards):
    """Return the artifacts a table is made from."""
    artifact = TABLES[wildcards.table].artifact
    return [f"results/{study}/{artifact}.json" for study in table_studies(wildcards.table)]


def manifests(wildcards):
    """Return the manifest of every study."""
    return [f"results/{study}/manifest.json" for study in STUDIES]


def tables(wildcards):
    """Return every table that some study has rows in."""
    return [f"results/tables/{table}.json" for table in TABLES if table_studies(table)]
