rule figures:
    input:
        [path for paths in FIGURES.values() for path in paths],
    output:
        [f"results/figures/{name}.svg" for name in FIGURES],
        [
            report(
                f"results/figures/{name}.png",
                category="Figures",
                caption="../report/figures.rst",
                labels={"figure": find(name)[0].title, "study": find(name)[1] or "several"},
            )
            for name in FIGURES
        ],
        receipts=[f"results/figures/receipts/{name}.json" for name in FIGURES],
    log:
        "results/logs/figures.log",
    benchmark:
        "results/benchmarks/figures.tsv"
    conda:
        "../../environment.yml"
    params:
        figures=" ".join(shlex.join(["--figure", name, *paths]) for name, paths in FIGURES.items()),
        captions={find(name)[0].title: find(name)[0].caption for name in FIGURES},
        code=code_digest("mateprobe.pipeline.figures"),
    shell:
        "python -m mateprobe.pipeline figures {params.figures} 2> {log:q}"
