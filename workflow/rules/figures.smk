rule figures:
    input:
        figure_inputs,
    output:
        multiext("results/figures/{figure}", ".svg", ".png"),
        receipt="results/figures/receipts/{figure}.json",
    log:
        "results/logs/figures/{figure}.log",
    benchmark:
        "results/benchmarks/figures/{figure}.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code_digest("mateprobe.pipeline.figures"),
    shell:
        "python -m mateprobe.pipeline figures --figure {wildcards.figure} --inputs {input:q} 2> {log:q}"
