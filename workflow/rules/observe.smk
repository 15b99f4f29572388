rule observe:
    input:
        "results/{study}/cases.jsonl",
        files_of_validator,
        program_files,
        read_files,
    output:
        "results/{study}/observations/{validator}{shard}.jsonl",
        receipt="results/{study}/receipts/observe.{validator}{shard}.json",
    log:
        "results/logs/{study}/observe.{validator}{shard}.log",
    benchmark:
        "results/benchmarks/{study}/observe.{validator}{shard}.tsv"
    conda:
        "../../environment.yml"
    params:
        section=section("observe"),
        code=code("observe"),
        shard=lambda wildcards: int(wildcards.shard[1:] or 0),
        fresh=lambda wildcards: "--fresh" * is_fresh(wildcards),
    shell:
        "python -m mateprobe.pipeline observe --study {wildcards.study} --validator {wildcards.validator} --shard {params.shard} {params.fresh} --section {params.section:q} 2> {log:q}"
