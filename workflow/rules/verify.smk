rule verify:
    input:
        EVERYTHING,
    log:
        "results/logs/verify.log",
    conda:
        "../../environment.yml"
    params:
        studies=config["studies"],
    shell:
        "python -m mateprobe.pipeline verify -C {params.studies:q} 2> {log:q}"
