rule page:
    input:
        page_inputs,
    output:
        [path for paths in PAGE.values() for path in paths],
        receipts=list(PAGE),
    log:
        "results/logs/page.log",
    benchmark:
        "results/benchmarks/page.tsv"
    conda:
        "../../environment.yml"
    params:
        sections=digest([study.section("page") for study in STUDIES.values()]),
        code=code_digest("mateprobe.pipeline.page"),
        only=list(STUDIES),
        studies=config["studies"],
        claims=["--claims", *PAGE_CLAIMS] if PAGE_CLAIMS else [],
    shell:
        "python -m mateprobe.pipeline page {params.only} --studies {params.studies:q} {params.claims} 2> {log:q}"
