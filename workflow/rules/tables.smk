rule tables:
    input:
        table_inputs,
    output:
        multiext("results/tables/{table}", ".json", ".csv", ".md", ".typ"),
        receipt="results/tables/receipts/{table}.json",
    log:
        "results/logs/tables/{table}.log",
    benchmark:
        "results/benchmarks/tables/{table}.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code_digest("mateprobe.pipeline.tables"),
    shell:
        "python -m mateprobe.pipeline tables --table {wildcards.table} --inputs {input:q} 2> {log:q}"
