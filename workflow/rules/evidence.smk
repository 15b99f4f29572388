for NAME, ARCHIVE in ARCHIVES.items():

    rule:
        name:
            f"evidence_{NAME}"
        input:
            pins=FOLDER / f"{NAME}.yaml",
        output:
            members=list(ARCHIVE.files.values()),
            receipt=ARCHIVE.receipt,
        log:
            f"results/logs/evidence/{NAME}.log",
        benchmark:
            f"results/benchmarks/evidence/{NAME}.tsv"
        localrule: True
        conda:
            "../../environment.yml"
        params:
            code=code_digest("mateprobe.pipeline.evidence"),
        shell:
            "python -m mateprobe.pipeline evidence --pins {input.pins:q} 2> {log:q}"
