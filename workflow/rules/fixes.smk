rule fixes:
    input:
        case_sources,
        outcome_files,
    output:
        "results/{study}/fixes.json",
        receipt="results/{study}/receipts/fixes.json",
    log:
        "results/logs/{study}/fixes.log",
    benchmark:
        "results/benchmarks/{study}/fixes.tsv"
    conda:
        "../../environment.yml"
    params:
        section=section("fixes"),
        code=code("fixes"),
    shell:
        "python -m mateprobe.pipeline fixes --study {wildcards.study} --section {params.section:q} 2> {log:q}"
