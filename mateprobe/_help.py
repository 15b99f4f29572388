"""What ``mateprobe --help`` shows, as the parser words it; written down so that showing it loads nothing else."""

HELP = """\
usage: mateprobe [-h] [--version] COMMAND ...

Check documents, and corpora of audit cases.

positional arguments:
  COMMAND
    check     evaluate the contracts of a bundle on its document
    audit     audit a validator and pass or fail by a gate
    report    show a report in another form, or against another gate
    diff      compare two reports, case by case
    merge     put the reports of shards together
    doctor    see which wrong validators a corpus of audit cases unmasks
    completion
              let a shell complete commands and options
    study     begin, list and check the studies of the pipeline
    verify    hold the results of the pipeline, and what they were made from, against their hashes
    freeze    declare results to be right: write their golden hashes

options:
  -h, --help  show this help message and exit
  --version   show program's version number and exit

examples:
  $ mateprobe audit audit.toml
  $ mateprobe audit --help

exit status:
  0  met: the document is accepted; the rates reach the gate; the corpus unmasks every saboteur; nothing got worse
  1  not met: the document is rejected; a rate is below the gate; the corpus has a blind spot; a case got worse
  2  the input cannot be used: a file, a key or value in it, or the arguments
  3  the audit did not work: the validator failed on a sample, or did not accept a baseline
  4  nothing was evaluated: there is no case, or none that counts
"""
