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


localrules:
    all,


rule all:
    default_target: True
    input:
        manifests,
        tables,
        [f"results/figures/{name}.svg" for name in FIGURES],
        claim_targets,


# `snakemake STUDY` makes one study, and the table that is its own.
for STUDY in STUDIES:

    rule:
        name:
            STUDY
        input:
            f"results/{STUDY}/manifest.json",
            [f"results/tables/{STUDY}.json"] if STUDY in STUDIES[STUDY].tables else [],
        localrule: True
