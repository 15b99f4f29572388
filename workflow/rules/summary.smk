rule summary:
    input:
        outcome_files,
    output:
        "results/{study}/summary.json",
        receipt="results/{study}/receipts/summary.json",
    log:
        "results/logs/{study}/summary.log",
    benchmark:
        "results/benchmarks/{study}/summary.tsv"
    conda:
        "../../environment.yml"
    params:
        section=section("summary"),
        code=code("summary"),
    shell:
        "python -m mateprobe.pipeline summary --study {wildcards.study} --section {params.section:q} 2> {log:q}"
