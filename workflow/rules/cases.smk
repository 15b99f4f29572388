rule cases:
    input:
        case_sources,
    output:
        "results/{study}/cases.jsonl",
        receipt="results/{study}/receipts/cases.json",
    log:
        "results/logs/{study}/cases.log",
    benchmark:
        "results/benchmarks/{study}/cases.tsv"
    conda:
        "../../environment.yml"
    params:
        section=section("cases"),
        code=code("cases"),
    shell:
        "python -m mateprobe.pipeline cases --study {wildcards.study} --section {params.section:q} 2> {log:q}"
