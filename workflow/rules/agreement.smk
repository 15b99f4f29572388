rule agreement:
    input:
        agreement_files,
    output:
        "results/{study}/agreement.json",
        receipt="results/{study}/receipts/agreement.json",
    log:
        "results/logs/{study}/agreement.log",
    benchmark:
        "results/benchmarks/{study}/agreement.tsv"
    conda:
        "../../environment.yml"
    params:
        section=section("agreement"),
        code=code("agreement"),
    shell:
        "python -m mateprobe.pipeline agreement --study {wildcards.study} --section {params.section:q} 2> {log:q}"
