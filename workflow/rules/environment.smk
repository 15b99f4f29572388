rule environment:
    input:
        "studies/_locks/{environment}.txt",
    output:
        "results/environments/{environment}.json",
    log:
        "results/logs/environments/{environment}.log",
    benchmark:
        "results/benchmarks/environments/{environment}.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code_digest("mateprobe.pipeline.environment"),
        fresh="--fresh" * bool(config["fresh"]),
    shell:
        "python -m mateprobe.pipeline environment --name {wildcards.environment} {params.fresh} 2> {log:q}"
