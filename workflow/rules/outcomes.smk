rule outcomes:
    input:
        "results/{study}/cases.jsonl",
        observation_files,
    output:
        "results/{study}/outcomes/{validator}.jsonl",
        receipt="results/{study}/receipts/outcomes.{validator}.json",
    log:
        "results/logs/{study}/outcomes.{validator}.log",
    benchmark:
        "results/benchmarks/{study}/outcomes.{validator}.tsv"
    conda:
        "../../environment.yml"
    params:
        section=section("outcomes"),
        code=code("outcomes"),
    shell:
        "python -m mateprobe.pipeline outcomes --study {wildcards.study} --validator {wildcards.validator} --section {params.section:q} 2> {log:q}"
