"""Measurements of speed and memory, run as ``python -m benchmarks``. They write nothing into ``results/``."""
