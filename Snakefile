# Targets only: how each artifact is made is in workflow/rules/, one file a stage, in run order.
from snakemake.utils import min_version

min_version("9.27")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/evidence.smk"
include: "workflow/rules/cases.smk"
include: "workflow/rules/environment.smk"
include: "workflow/rules/observe.smk"
include: "workflow/rules/outcomes.smk"
include: "workflow/rules/summary.smk"
include: "workflow/rules/statistics.smk"
include: "workflow/rules/agreement.smk"
include: "workflow/rules/fixes.smk"
include: "workflow/rules/gate.smk"
include: "workflow/rules/manifest.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/paper.smk"
include: "workflow/rules/page.smk"
include: "workflow/rules/verify.smk"


# On a cluster these stay where the run was started: they are small, or need the network.
localrules:
    all,
    agreement,
    claims,
    environment,
    figures,
    fixes,
    gate,
    manifest,
    page,
    paper,
    tables,
    verify,


rule all:
    default_target: True
    input:
        EVERYTHING,


# `snakemake STUDY` makes one study, and the table that is its own.
for STUDY in STUDIES:

    rule:
        name:
            STUDY
        input:
            of_study(STUDIES[STUDY], ARCHIVES.values(), fresh=config["fresh"]).files,
        localrule: True
