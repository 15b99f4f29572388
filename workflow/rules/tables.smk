for FAMILY, MEMBERS in TOGETHER.items():

    rule:
        name:
            f"tables_{FAMILY}"
        input:
            [path for paths in MEMBERS.values() for path in paths],
        output:
            [f"results/tables/{name}.{form}" for name in MEMBERS for form in ("json", "md", "typ")],
            [
                report(
                    f"results/tables/{name}.csv",
                    category="Tables",
                    caption="../report/tables.rst",
                    labels={"table": table_called(name).title, "file": name},
                )
                for name in MEMBERS
            ],
            receipts=[f"results/tables/receipts/{name}.json" for name in MEMBERS],
        log:
            f"results/logs/tables/{FAMILY}.log",
        benchmark:
            f"results/benchmarks/tables/{FAMILY}.tsv"
        conda:
            "../../environment.yml"
        params:
            tables=" ".join(shlex.join(["--table", name, *paths]) for name, paths in MEMBERS.items()),
            code=code_digest("mateprobe.pipeline.tables"),
        shell:
            "python -m mateprobe.pipeline tables {params.tables} 2> {log:q}"
