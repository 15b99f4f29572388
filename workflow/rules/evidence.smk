from mateprobe.pipeline.evidence import PINS, load_pins


rule evidence:
    input:
        pins=PINS,
    output:
        members=[f"results/evidence/{member}" for member in load_pins(PINS).members],
        receipt="results/evidence/receipt.json",
    log:
        "results/logs/evidence.log",
    benchmark:
        "results/benchmarks/evidence.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code_digest("mateprobe.pipeline.evidence"),
    shell:
        "python -m mateprobe.pipeline evidence --pins {input.pins:q} 2> {log:q}"
