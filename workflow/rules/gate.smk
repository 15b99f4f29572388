rule gate:
    input:
        "results/{study}/summary.json",
    output:
        "results/{study}/gate.json",
        receipt="results/{study}/receipts/gate.json",
    log:
        "results/logs/{study}/gate.log",
    benchmark:
        "results/benchmarks/{study}/gate.tsv"
    conda:
        "../../environment.yml"
    params:
        section=section("gate"),
        code=code("gate"),
    shell:
        "python -m mateprobe.pipeline gate --study {wildcards.study} --section {params.section:q} 2> {log:q}"
