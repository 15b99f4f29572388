"""The driver of programs, where it was before the core had it: see ``mateprobe.command``."""

from mateprobe.command import Command as Command, Limits as Limits, told as told
