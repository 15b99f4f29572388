rule observe:
    input:
        "results/{study}/cases.jsonl",
    output:
        "results/{study}/observations/{validator}.jsonl",
        receipt="results/{study}/receipts/observe.{validator}.json",
    log:
        "results/logs/{study}/observe.{validator}.log",
    benchmark:
        "results/benchmarks/{study}/observe.{validator}.tsv"
    conda:
        "../../environment.yml"
    params:
        section=section("observe"),
        code=code("observe"),
    shell:
        "python -m mateprobe.pipeline observe --study {wildcards.study} --validator {wildcards.validator} --section {params.section:q} 2> {log:q}"
