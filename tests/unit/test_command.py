"""A program as a validator: what it says is a verdict, and whatever else it does is an error of one sample."""

from __future__ import annotations

import os
import re
import select
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mateprobe import command
from mateprobe.canonical import canonical_bytes
from mateprobe.command import Command, Limits, Reach
from mateprobe.errors import StudyError
from mateprobe.runner import Failure, Judgement, Verdict

PROGRAM = """
import json, os, sys, time

def say(id, accepted=True, **more):
    answer = {"id": id, "accepted": accepted, "complete": True, "violations": [], "evidence": [], **more}
    print(json.dumps(answer), flush=True)

for line in sys.stdin:
    request = json.loads(line)
    id, sample = request["id"], request["sample"]
    BODY
"""
ACCEPTED = Verdict(True)


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Command]]:
    """Commands that are closed when the test ends."""
    commands: list[Command] = []
    yield commands
    for each in commands:
        each.close()


def program(
    started: list[Command], body: str, seconds: float = 20, memory_mb: int = 512, reach: Reach | None = None
) -> Command:
    source = PROGRAM.replace("BODY", body.strip().replace("\n", "\n    "))
    started.append(Command([sys.executable, "-I", "-c", source], Limits(seconds, memory_mb), reach))
    return started[-1]


def message(judgement: Judgement) -> str:
    assert isinstance(judgement, Failure), judgement
    return judgement.message


def test_answers_are_verdicts_in_the_order_of_the_samples(started: list[Command]) -> None:
    asked = program(started, 'say(id, sample > 0, violations=[] if sample > 0 else ["sign"], evidence=[str(sample)])')
    answers = [asked.ask(id, sample) for id, sample in (("a", 1), ("b", -1), ("c", 2))]
    assert answers == [
        Verdict(True, evidence=("1",)),
        Verdict(False, ("sign",), evidence=("-1",)),
        Verdict(True, evidence=("2",)),
    ]


def test_one_process_answers_every_sample(started: list[Command]) -> None:
    asked = program(started, "say(id, evidence=[str(os.getpid())])")
    first, second = asked.ask("a", 1), asked.ask("b", 2)
    assert isinstance(first, Verdict)
    assert first == second


def test_an_incomplete_verdict_stays_incomplete(started: list[Command]) -> None:
    assert program(started, "say(id, False, complete=False)").ask("a", 1) == Verdict(False, complete=False)


def test_an_error_is_passed_on_without_addresses_and_folders(started: list[Command]) -> None:
    error = "bad <f at 0x7f00aa> in /some/where/f.py of http://a/b/c"
    asked = program(started, f'print(json.dumps({{"id": id, "error": {error!r}}}), flush=True)')
    assert message(asked.ask("a", 1)) == "bad <f at 0x…> in …/f.py of http://a/b/c"


def ahead(asked: Command, samples: list[object]) -> list[Judgement]:
    answers = list(asked.ask_ahead((f"s{place}", canonical_bytes(sample)) for place, sample in enumerate(samples)))
    assert [id for id, _ in answers] == [f"s{place}" for place in range(len(samples))]
    return [judgement for _, judgement in answers]


def test_samples_sent_ahead_are_answered_in_their_order_by_one_process(started: list[Command]) -> None:
    asked = program(started, "say(id, evidence=[str(sample), str(os.getpid())])")
    answers = [judgement for judgement in ahead(asked, list(range(500))) if isinstance(judgement, Verdict)]
    assert [judgement.evidence[0] for judgement in answers] == [str(number) for number in range(500)]
    assert len({judgement.evidence[1] for judgement in answers}) == 1


def test_samples_larger_than_a_pipe_can_be_sent_ahead(started: list[Command]) -> None:
    answers = ahead(program(started, "say(id, evidence=[str(len(sample))])"), ["x" * 300_000] * 5)
    assert answers == [Verdict(True, evidence=("300000",))] * 5


FAULTS_AHEAD = {
    "an end": ("os._exit(3)", "ended with exit code 3"),
    "no answer": ("time.sleep(60)", "no answer within 2 s"),
    "a forged answer": ("say('s9')", "expected the answer about sample"),
    "no JSON": ("print('hello', flush=True)", "expected JSON, found 'hello'"),
    "too much": ("print('x' * 3_000_000, flush=True)", "expected one line of at most 1,048,576 bytes"),
}


@pytest.mark.parametrize(("body", "expected"), FAULTS_AHEAD.values(), ids=FAULTS_AHEAD)
def test_of_samples_sent_ahead_those_alone_have_the_fault_that_caused_it(
    started: list[Command], body: str, expected: str
) -> None:
    asked = program(started, f"if sample == 13: {body}\nelse: say(id, evidence=[str(sample)])", 2)
    answers = ahead(asked, [1, 2, 13, 3, 13, 4])
    assert [answers[place] for place in (0, 1, 3, 5)] == [Verdict(True, evidence=(str(n),)) for n in (1, 2, 3, 4)]
    assert [expected in message(answers[place]) for place in (2, 4)] == [True, True]


def test_a_program_that_reads_no_more_is_not_written_to_again_and_again(
    started: list[Command], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = program(started, "os.close(0); say(id); time.sleep(60)", 0.5)
    assert asked.ask("a", 1) == ACCEPTED
    tried: list[int] = []
    write = os.write

    def counted(descriptor: int, data: bytes) -> int:
        tried.append(len(data))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", counted)
    assert message(asked.ask("b", 2)) == "no answer within 0.5 s"
    assert len(tried) == 1


DEATHS = {
    "an exit code": ("os._exit(3)", "ended with exit code 3"),
    "an exception": ("raise ValueError('too odd')", "ended with exit code 1: ValueError: too odd"),
    "a signal": ("os.kill(os.getpid(), 11)", "was ended by SIGSEGV"),
    "half a line": ("print('{', end='', flush=True); os._exit(0)", "expected a whole line, found the end of .*'{'"),
    "a closed output": ("os.close(1); time.sleep(60)", "closed its output and went on"),
}


@pytest.mark.parametrize(("body", "expected"), DEATHS.values(), ids=DEATHS)
def test_the_sample_a_program_dies_on_is_an_error_and_the_next_has_a_new_program(
    started: list[Command], body: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "GRACE", 0.2)
    asked = program(started, f"if sample == 13: {body}\nsay(id)")
    answers = [asked.ask(str(sample), sample) for sample in (1, 13, 2)]
    assert [answers[0], answers[2]] == [ACCEPTED, ACCEPTED]
    assert re.search(expected, message(answers[1]))


BABBLE = {
    "no JSON": ("print('hello', flush=True)", "expected JSON, found 'hello'"),
    "a key twice": ("""print('{"id": "b", "id": "b", "error": "e"}', flush=True)""", "occurs twice"),
    "a list": ("print([], flush=True)", "expected an object with id and error, or with"),
    "a key too few": ("""print(json.dumps({"id": id, "accepted": True}), flush=True)""", "expected an object"),
    "a key too many": ("say(id, colour='red')", "expected an object"),
    "another sample": ("say('z')", "expected the answer about sample 'b', found "),
    "a number for an error": ("""print(json.dumps({"id": id, "error": 3}), flush=True)""", "the error as text"),
    "a word for a flag": ("say(id, 'yes')", "expected True or False"),
    "an accepted finding": ("say(id, violations=['sign'])", "a finding must reject"),
    "text for a list": ("say(id, False, violations='sign')", "violations"),
    "an empty line": ("print(flush=True)", "expected JSON, found ''"),
    "two lines at once": ("""os.write(1, b'{"id": "b", "error": "e"}\\n{}\\n')""", "found another: '{}'"),
    "too much": ("print('x' * 3_000_000, flush=True)", "expected one line of at most 1,048,576 bytes"),
}


@pytest.mark.parametrize(("body", "expected"), BABBLE.values(), ids=BABBLE)
def test_what_is_not_the_protocol_is_an_error_that_shows_the_line(
    started: list[Command], body: str, expected: str
) -> None:
    asked = program(started, f"if sample == 13: {body}\nelse: say(id)")
    before, fault, after = asked.ask("a", 1), asked.ask("b", 13), asked.ask("c", 2)
    assert (before, after) == (ACCEPTED, ACCEPTED)
    assert expected in message(fault)


def test_a_line_nobody_asked_for_is_an_error(started: list[Command], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "go")
    body = f"say(id)\nif sample == 1: open({str(tmp_path / 'go')!r}).read(); say(id)"
    asked = program(started, body, reach=Reach((str(tmp_path),)))
    assert asked.ask("a", 1) == ACCEPTED
    (tmp_path / "go").write_text("on")
    assert asked._process is not None
    select.select([command._descriptor(asked._process._child.stdout)], [], [])
    assert 'wrote without being asked: \'{"id": "a"' in message(asked.ask("b", 2))
    assert asked.ask("c", 2) == ACCEPTED


def test_a_program_that_hangs_is_ended_at_its_limit(started: list[Command]) -> None:
    asked = program(started, "if sample == 13: time.sleep(600)\nsay(id)", seconds=1)
    assert message(asked.ask("a", 13)) == "no answer within 1 s"
    assert asked.ask("b", 1) == ACCEPTED


def test_a_program_that_reads_nothing_hangs_too(started: list[Command]) -> None:
    started.append(Command([sys.executable, "-I", "-c", "import time; time.sleep(600)"], Limits(0.3)))
    assert message(started[0].ask("a", "x" * 1_000_000)) == "no answer within 0.3 s"


def test_a_sample_larger_than_a_pipe_arrives_whole(started: list[Command]) -> None:
    asked = program(started, "say(id, evidence=[str(len(sample))])")
    assert asked.ask("a", "x" * 3_000_000) == Verdict(True, evidence=("3000000",))


def test_an_answer_before_the_sample_was_read_is_an_error(started: list[Command]) -> None:
    # It has been asked when it answers, and has not read all of what it was asked, which is more than a pipe takes.
    source = "import sys, time\nsys.stdin.read(1)\nprint('{}', flush=True)\ntime.sleep(600)"
    started.append(Command([sys.executable, "-I", "-c", source], Limits(20)))
    assert "answered before it had read the sample: '{}'" in message(started[0].ask("a", "x" * 3_000_000))


def test_a_program_that_takes_too_much_memory_fails_alone(started: list[Command]) -> None:
    body = "if sample == 13: x = bytearray(600 << 20)\nsay(id)"
    asked = program(started, body, memory_mb=256)
    assert message(asked.ask("a", 13)) == "ended with exit code 1: MemoryError"
    assert asked.ask("b", 1) == ACCEPTED


def test_what_it_writes_to_standard_error_disturbs_nothing(started: list[Command]) -> None:
    asked = program(started, "sys.stderr.write('x' * 1_000_000); say(id)")
    assert [asked.ask("a", 1), asked.ask("b", 2)] == [ACCEPTED, ACCEPTED]


def test_the_end_of_standard_error_is_kept_for_people(started: list[Command]) -> None:
    body = "sys.stderr.write('first\\n' + 'x' * 100_000 + '\\nlast\\n'); sys.stderr.flush(); os._exit(1)"
    failure = program(started, body).ask("a", 1)
    assert isinstance(failure, Failure)
    assert failure.message == "ended with exit code 1: last"
    assert len(failure.trace) == command.COMPLAINT_LIMIT


CHILD = """
if sample == 1:
    os.mkfifo("held")
    say(id)
elif not os.fork():
    held = open("held", "w")
    say(id)
    time.sleep(600)
else:
    time.sleep(600)
"""


def test_its_children_end_with_it(started: list[Command]) -> None:
    asked = program(started, CHILD, reach=Reach(runs=(sys.executable,)))
    assert asked.ask("a", 1) == ACCEPTED
    assert asked._process is not None
    with ThreadPoolExecutor() as pool:
        held = Path(asked._process._folder.name, "held")
        reader = pool.submit(held.read_text)  # it ends when the child, which holds the other end, does
        assert asked.ask("b", 2) == ACCEPTED
        asked.close()
        assert reader.result() == ""


def test_it_runs_in_an_empty_folder_with_few_variables(started: list[Command], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "s")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    asked = program(started, "say(id, evidence=[*os.listdir('.'), *sorted(os.environ)])")
    found = asked.ask("a", 1)
    assert isinstance(found, Verdict)
    assert set(found.evidence) - {"LC_CTYPE"} == {"HOME", "LC_ALL", "PATH", "PYTHONHASHSEED", "TMPDIR", "TZ"}


def test_its_folder_goes_with_it(started: list[Command]) -> None:
    asked = program(started, "open('left', 'w').close(); say(id, evidence=[os.getcwd()])")
    found = asked.ask("a", 1)
    assert isinstance(found, Verdict)
    asked.close()
    assert not Path(found.evidence[0]).exists()


@pytest.mark.parametrize("arguments", [["no-such-program"], [sys.executable, "a\0b"]], ids=["no program", "NUL"])
def test_a_command_that_cannot_start_is_refused_at_once(arguments: list[str]) -> None:
    with pytest.raises(StudyError, match="expected a program on the PATH"):
        Command(arguments)


def test_no_shell_reads_the_arguments(started: list[Command], tmp_path: Path) -> None:
    script = "import json, sys\nfor _ in sys.stdin: print(json.dumps({'id': 'a', 'error': sys.argv[1]}), flush=True)"
    started.append(Command([sys.executable, "-I", "-c", script, f"$HOME; touch {tmp_path}/x"]))
    assert message(started[0].ask("a", 1)).startswith("$HOME; touch ")
    assert list(tmp_path.iterdir()) == []
