rule tables:
    input:
        table_inputs,
    output:
        multiext("results/tables/{table}", ".json", ".md", ".typ"),
        report(
            "results/tables/{table}.csv",
            category="Tables",
            caption="../report/table.rst",
            labels={"table": "{table}"},
        ),
        receipt="results/tables/receipts/{table}.json",
    log:
        "results/logs/tables/{table}.log",
    benchmark:
        "results/benchmarks/tables/{table}.tsv"
    conda:
        "../../environment.yml"
    params:
        title=lambda wildcards: TABLES.get(wildcards.table, TABLES[OWN]).title,
        code=code_digest("mateprobe.pipeline.tables"),
    shell:
        "python -m mateprobe.pipeline tables --table {wildcards.table} --inputs {input:q} 2> {log:q}"
