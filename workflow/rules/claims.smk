rule claims:
    input:
        claims="paper/claims.yaml",
        artifacts=CLAIMS.artifacts,
    output:
        "results/paper/claims.json",
        "results/paper/numbers.typ",
        receipt="results/paper/receipts/claims.json",
    log:
        "results/logs/claims.log",
    benchmark:
        "results/benchmarks/claims.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code_digest("mateprobe.pipeline.claims"),
    shell:
        "python -m mateprobe.pipeline claims --claims {input.claims:q} 2> {log:q}"
