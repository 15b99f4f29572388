rule statistics:
    input:
        outcome_files,
    output:
        "results/{study}/statistics.json",
        receipt="results/{study}/receipts/statistics.json",
    log:
        "results/logs/{study}/statistics.log",
    benchmark:
        "results/benchmarks/{study}/statistics.tsv"
    conda:
        "../../environment.yml"
    params:
        section=section("statistics"),
        code=code("statistics"),
    shell:
        "python -m mateprobe.pipeline statistics --study {wildcards.study} --section {params.section:q} 2> {log:q}"
