rule paper:
    input:
        read_by(SOURCE),
    output:
        report("results/paper/mateprobe.pdf", category="Paper", caption="../report/paper.rst"),
        receipt="results/paper/receipts/paper.json",
    log:
        "results/logs/paper.log",
    benchmark:
        "results/benchmarks/paper.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code_digest("mateprobe.pipeline.paper"),
    shell:
        "python -m mateprobe.pipeline paper 2> {log:q}"
