rule figures:
    input:
        [path for paths in FIGURES.values() for path in paths],
    output:
        [f"results/figures/{name}.{form}" for name in FIGURES for form in ("svg", "png")],
        receipts=[f"results/figures/receipts/{name}.json" for name in FIGURES],
    log:
        "results/logs/figures.log",
    benchmark:
        "results/benchmarks/figures.tsv"
    conda:
        "../../environment.yml"
    params:
        figures=" ".join(shlex.join(["--figure", name, *paths]) for name, paths in FIGURES.items()),
        code=code_digest("mateprobe.pipeline.figures"),
    shell:
        "python -m mateprobe.pipeline figures {params.figures} 2> {log:q}"
