rule manifest:
    input:
        protocol_of,
        receipts=study_receipts,
    output:
        "results/{study}/manifest.json",
    log:
        "results/logs/{study}/manifest.log",
    benchmark:
        "results/benchmarks/{study}/manifest.tsv"
    conda:
        "../../environment.yml"
    params:
        section=section("manifest"),
        code=code("manifest"),
    shell:
        "python -m mateprobe.pipeline manifest --study {wildcards.study} --section {params.section:q} --receipts {input.receipts:q} 2> {log:q}"
