"""Whatever a validator does, as a function of a study or as a program, the case is an error and the rest goes on."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mateprobe import command, confine
from mateprobe.command import Command, Limits, Reach
from mateprobe.errors import StudyError
from mateprobe.pipeline import foreign
from mateprobe.pipeline.foreign import OwnCodeError, command_of, function_of, generated
from mateprobe.runner import Failure, Verdict
from tests.unit.conftest import Bench, lines, row, study

pytestmark = pytest.mark.skipif(bool(confine.lacking()), reason=f"cannot be confined here: {confine.lacking()}")

PROGRAM = """
import json, sys
sys.path.insert(0, "CODE")
from hostile import validate
for line in sys.stdin:
    asked = json.loads(line)
    validate(asked["sample"])
    answer = {"accepted": True, "complete": True, "violations": [], "evidence": []}
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
"""
HEAD = """
import os, signal, socket, subprocess, sys, threading, time
from pathlib import Path
from mateprobe.runner import Verdict

def validate(sample):
    if sample == 13:
        harm(sample)
    return Verdict(True)
"""
STANDIN = "class Verdict:\n    def __init__(self, accepted, violations=()): ...\n"  # a program may know no mateprobe


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Command]]:
    """Change into a project with a study; commands are closed when the test ends."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "studies/_code/beside.txt": "beside",
        "studies/other.yaml": "study: other",
        "results/other/cases.jsonl": "{}",
        "home/.ssh/id_rsa": "secret",
    }.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    started: list[Command] = []
    yield started
    for each in started:
        each.close()


def hostile(form: str, harm: str, *, seconds: float = 20, runs: tuple[str, ...] = ()) -> Command:
    """Return a command that asks the same validator as a function of a study or as a program of its own."""
    code, limits = Path("studies/_code"), Limits(seconds, 512)
    body = "\n    ".join(harm.strip().splitlines())
    head = HEAD if form == "function" else HEAD.replace("from mateprobe.runner import Verdict", STANDIN)
    (code / "hostile.py").write_text(f"{head}\ndef harm(sample):\n    {body}\n")
    if form == "function":
        return command_of("hostile:validate", code, "validator", runs=runs, limits=limits)
    script = PROGRAM.replace("CODE", str(code.absolute()))
    return Command([sys.executable, "-I", "-c", script], limits, Reach((str(code.absolute()),), runs))


FORMS = ("function", "program")

HARMS: dict[str, tuple[str, str]] = {
    "hang": ("time.sleep(600)", "no answer within 2 s"),
    "spin": ("while True: pass", "no answer within 2 s"),
    "wait for a lock": ("lock = threading.Lock(); lock.acquire(); lock.acquire()", "no answer within 2 s"),
    "take memory": ("x = bytearray(4 << 30)", "MemoryError"),
    "leave the interpreter": ("os._exit(3)", "ended with exit code 3"),
    "end by a signal": ("os.kill(os.getpid(), 11)", "was ended by SIGSEGV"),
    "end its group": ("os.killpg(0, 9)", "was ended by SIGKILL"),
    "call exit": ("sys.exit(3)", "SystemExit: 3|ended with exit code 3"),
    "raise BaseException": ("raise BaseException('odd')", "BaseException: odd"),
    "interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt|ended by SIGINT"),
    "nest too deeply": ("harm(sample)", "RecursionError"),
    "fork": ("os.fork()", "PermissionError"),
    "start a program": ("subprocess.run(['true'])", "PermissionError"),
    "become a program": ("os.execv('/bin/sh', ['sh'])", "PermissionError"),
    "become what it wrote": (
        "os.chdir(os.environ['TMPDIR']); os.close(os.open('x', os.O_CREAT, 0o755)); os.execv('./x', ['x'])",
        "PermissionError",
    ),
    "leave its group": ("os.setsid()", "PermissionError"),
    "kill whoever asks": ("os.kill(os.getppid(), 9)", "PermissionError"),
    "limit whoever asks": (
        "import resource; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (3, 3))", "PermissionError"
    ),
    "read a secret of whoever asks": ("open(f'/proc/{os.getppid()}/environ')", "PermissionError"),
    "write a large file": ("os.chdir(os.environ['TMPDIR']); open('x', 'wb').truncate(1 << 40)", "OSError.*too large"),
    "write beside its code": ("open('ROOT/studies/_code/x', 'w')", "PermissionError"),
    "write into results": ("open('ROOT/results/x', 'w')", "PermissionError"),
    "write elsewhere": ("open('/var/tmp/mateprobe-x', 'w')", "PermissionError"),
    "write below root": ("open('/mateprobe-x', 'w')", "PermissionError"),
    "remove its code": ("os.unlink('ROOT/studies/_code/hostile.py')", "PermissionError"),
    "shorten its code": ("os.truncate('ROOT/studies/_code/hostile.py', 0)", "PermissionError"),
    "move its code": ("os.rename('ROOT/studies/_code/hostile.py', 'x')", "PermissionError|OSError"),
    "lock its code": ("os.chmod('ROOT/studies/_code/hostile.py', 0)", "PermissionError"),
    "lock what it opened": ("os.fchmod(os.open(os.__file__, os.O_RDONLY), 0o644)", "PermissionError"),
    "change a time": ("os.utime('ROOT/results/other/cases.jsonl', (1, 1))", "PermissionError"),
    "change an owner": ("os.chown('ROOT/results/other/cases.jsonl', -1, -1)", "PermissionError"),
    "put an attribute": ("os.setxattr('ROOT/results/other/cases.jsonl', b'user.x', b'1')", "PermissionError"),
    "mount": ("import ctypes; 1 / (1 + ctypes.CDLL(None).mount(b'x', b'/mnt', b'tmpfs', 0, 0))", "ZeroDivisionError"),
    "link to a secret": ("os.symlink('ROOT/home/.ssh/id_rsa', 'x'); open('x')", "PermissionError"),
    "read a secret": ("open('ROOT/home/.ssh/id_rsa')", "PermissionError"),
    "read another study": ("open('ROOT/studies/other.yaml')", "PermissionError"),
    "read results of another study": ("open('ROOT/results/other/cases.jsonl')", "PermissionError"),
    "list the project": ("os.listdir('ROOT')", "PermissionError"),
    "list temporary files": ("os.listdir('/tmp')", "PermissionError"),
    "read /etc/shadow": ("open('/etc/shadow')", "PermissionError"),
    "read /etc/hosts": ("open('/etc/hosts')", "PermissionError"),
    "connect": ("socket.create_connection(('127.0.0.1', 9))", "PermissionError"),
    "send a datagram": ("socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", "PermissionError"),
    "speak to a service of the machine": ("socket.socket(socket.AF_UNIX)", "PermissionError"),
    "write megabytes to its output": ("os.write(1, b'x' * 3_000_000); os._exit(1)", "ended with exit|1,048,576 bytes"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("harm", "reason"), HARMS.values(), ids=HARMS)
def test_the_sample_ends_as_an_error_with_the_reason_and_the_next_is_judged(
    commands: list[Command], tmp_path: Path, form: str, harm: str, reason: str
) -> None:
    slow = reason.startswith("no answer")
    commands.append(hostile(form, harm.replace("ROOT", str(tmp_path)), seconds=2 if slow else 20))
    before = snapshot(tmp_path)
    said = commands[0].ask("13", 13)
    assert isinstance(said, Failure), said
    assert re.search(reason, said.message), said.message
    assert snapshot(tmp_path) == before
    commands[0]._limits = Limits(20, 512)  # how long the next one takes to start is not the matter
    assert commands[0].ask("2", 2) == Verdict(True)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


HARMLESS = {
    "print megabytes": "print('x' * 3_000_000)",
    "write to standard error": "os.write(2, b'x' * 3_000_000)",
    "write into its own folder": (
        "os.chdir(os.environ['TMPDIR']); Path('x').write_text('x'); Path('d').mkdir(); os.rename('x', 'd/x')"
    ),
    "write a temporary file": "import tempfile; tempfile.TemporaryFile().write(b'x')",
    "read what lies beside its code": "open('ROOT/studies/_code/beside.txt').read()",
    "read the library": "import email.message, sqlite3, zoneinfo; open(os.__file__).read()",
    "throw away": "open('/dev/null', 'w').write('x')",
    "draw": "open('/dev/urandom', 'rb').read(8); os.urandom(8)",
    "start a thread": "thread = threading.Thread(target=len, args=('x',)); thread.start(); thread.join()",
    "close its output": "os.close(1)",
}


@pytest.mark.parametrize("harm", HARMLESS.values(), ids=HARMLESS)
def test_what_harms_nobody_is_no_error(commands: list[Command], tmp_path: Path, harm: str) -> None:
    commands.append(hostile("function", harm.replace("ROOT", str(tmp_path))))
    assert [commands[0].ask(str(sample), sample) for sample in (13, 2)] == [Verdict(True)] * 2


LIES = {
    "change its sample": (
        "def validate(sample):\n    sample.append(1)\n    return Verdict(True)", "changed the sample",
    ),
    "put no JSON into its sample": (
        "def validate(sample):\n    sample[:] = [{1}]\n    return Verdict(True)", "changed",
    ),
    "return nothing": ("def validate(sample): ...", "returned a NoneType"),
    "return a truth": ("def validate(sample): return True", "returned a bool"),
    "contradict itself": ("def validate(sample): return Verdict(True, ('x',))", "a finding must reject"),
    "return a verdict that raises": (
        "class Lie(Verdict):\n    accepted = property(lambda self: exit(3))\ndef validate(_): return Lie.__new__(Lie)",
        "SystemExit",
    ),
    "return a flag that is none": (
        "class Flag:\n    __class__ = bool\ndef validate(sample): return Verdict(Flag())", "expected True or False"
    ),
    "raise what cannot be read": (
        "class Odd(Exception):\n    def __str__(self): raise SystemExit\ndef validate(sample): raise Odd", "SystemExit"
    ),
    "return ids whose class lies": (
        "class Id(str):\n    def __len__(self): return 0\ndef validate(sample): return Verdict(False, (Id('x'),))",
        "expected nonempty ids",
    ),
    "be no function": ("validate = 6", "expected a function, found int"),
    "not be there": ("x = 1", "found no such name"),
    "fail as it is imported": ("raise BaseException('early')", "early"),
    "end as it is imported": ("import os; os._exit(4)", "ended with exit code 4"),
    "be no Python": ("def validate(:", "SyntaxError"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "reason"), LIES.values(), ids=LIES)
def test_an_answer_that_is_no_verdict_is_an_error_that_says_why(
    commands: list[Command], source: str, reason: str
) -> None:
    Path("studies/_code/hostile.py").write_text(f"from mateprobe.runner import Verdict\n{source}\n")
    commands.append(command_of("hostile:validate", Path("studies/_code"), "validator", limits=Limits(20, 512)))
    for id in ("a", "b"):
        said = commands[0].ask(id, [id])
        assert isinstance(said, Failure)
        assert re.search(reason, said.message), said.message


LYING_TEXT = """
from mateprobe.runner import Verdict
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def __str__(self): return "another"
class Lie(Verdict):
    def __eq__(self, other): return True
def validate(sample): return Lie(False, (Text("sign"),))
"""


def test_a_result_whose_class_lies_is_what_it_holds(commands: list[Command]) -> None:
    Path("studies/_code/hostile.py").write_text(LYING_TEXT)
    commands.append(command_of("hostile:validate", Path("studies/_code"), "validator", limits=Limits(20, 512)))
    said = commands[0].ask("a", 1)
    assert (type(said), said) == (Verdict, Verdict(False, ("sign",)))


KEEPS = """
from mateprobe.runner import Verdict
kept = []
def validate(sample):
    for earlier in kept:
        earlier["n"] = 99
    kept.append(sample)
    return Verdict(sample["n"] > 0, () if sample["n"] > 0 else ("sign",))
"""


def test_a_sample_that_is_kept_and_changed_later_is_nobody_elses(commands: list[Command]) -> None:
    Path("studies/_code/hostile.py").write_text(KEEPS)
    commands.append(command_of("hostile:validate", Path("studies/_code"), "validator", limits=Limits(20, 512)))
    samples = [{"n": 1}, {"n": -1}, {"n": 1}]
    said = [commands[0].ask("a", sample) for sample in samples]
    assert said == [Verdict(True), Verdict(False, ("sign",)), Verdict(True)]
    assert samples == [{"n": 1}, {"n": -1}, {"n": 1}]


@pytest.mark.parametrize("form", FORMS)
def test_a_program_that_is_named_may_be_started_and_no_other(commands: list[Command], form: str) -> None:
    harm = "subprocess.run(['true'], check=True)"
    commands.append(hostile(form, harm, runs=("true",)))
    assert commands[0].ask("a", 13) == Verdict(True)
    commands.append(hostile(form, harm, runs=("false",)))
    assert "Permission" in commands[1].ask("a", 13).message  # type: ignore[union-attr]


def test_what_it_may_start_is_confined_like_itself(commands: list[Command], tmp_path: Path) -> None:
    secret = tmp_path / "home/.ssh/id_rsa"
    commands.append(hostile("program", f"subprocess.run(['cat', {str(secret)!r}], check=True)", runs=("cat",)))
    said = commands[0].ask("a", 13)
    assert isinstance(said, Failure)
    assert "cat: " in said.trace
    assert "Permission denied" in said.trace
    assert "secret" not in said.trace


# --- in a study -------------------------------------------------------------------------------------------------

CODE = """
import os
from mateprobe.runner import Verdict
def cases(*, rows): return rows
def sign(sample):
    if sample["n"] == 13:
        os._exit(7)
    return Verdict(sample["n"] > 0, () if sample["n"] > 0 else ("sign/NEGATIVE@n",))
"""


def test_in_a_study_the_case_is_an_error_and_the_others_are_decided(bench: Bench) -> None:
    bench.write(study(row("a"), row("b", variant=13), row("c", variant=-3)), CODE)
    bench.judge()
    ended = [(case["outcome"], case["reason"]) for case in lines("results/demo/outcomes/by_sign.jsonl")]
    assert ended == [
        ("detected", "all_expected_violations"),
        ("error", "variant_error: ended with exit code 7"),
        ("detected", "all_expected_violations"),
    ]


def test_the_limits_of_a_function_are_those_of_its_study(bench: Bench) -> None:
    code = CODE.replace("os._exit(7)", "bytearray(300 << 20)")
    validator = {"id": "by_sign", "callable": "numbered:sign", "memory_mb": 256, "rejudge": 0}
    bench.write(study(row("a", variant=13), validators=[validator]), code)
    bench.judge()
    assert [said["error"] for said in lines("results/demo/observations/by_sign.jsonl")] == [None, "MemoryError: "]


GENERATORS = {
    "hangs": ("import time; time.sleep(600)", "no answer within 2 s"),
    "never ends": ("while True: yield row", "no answer within .* s"),
    "leaves the interpreter": ("os._exit(3)", "ended with exit code 3"),
    "raises BaseException": ("raise BaseException('odd')", r"BaseException: odd \(hostile.py:\d+\)"),
    "takes memory": ("bytearray(8 << 30)", "MemoryError"),
    "forks": ("os.fork()", "PermissionError"),
    "writes": ("open('x', 'w')", "PermissionError"),
    "reads": ("open('home/.ssh/id_rsa')", "PermissionError"),
    "babbles": ("os.write(3, b'x' * 9); os.write(4, b'x\\n'); yield row", "expected JSON, found|Bad file"),
}


@pytest.mark.parametrize(("body", "reason"), GENERATORS.values(), ids=GENERATORS)
def test_a_generator_that_does_harm_is_an_error_of_its_study(
    commands: list[Command], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, reason: str
) -> None:
    monkeypatch.setattr(foreign, "LIMITS", Limits(2 if "no answer" in reason else 60, 4096, foreign.LIMITS.answer))
    source = f"import os\nrow = {{'id': 'x' * 100_000}}\ndef cases():\n    {body}\n    yield row\n"
    Path("studies/_code/hostile.py").write_text(source)
    before = snapshot(tmp_path)
    with pytest.raises(OwnCodeError, match=reason):
        for _ in generated("hostile:cases", Path("studies/_code"), {}):
            pass
    assert snapshot(tmp_path) == before


def test_a_generator_reads_what_its_study_names(commands: list[Command], tmp_path: Path) -> None:
    source = "def cases(given): yield given.read_text(); yield open('results/other/cases.jsonl').read()\n"
    Path("studies/_code/hostile.py").write_text(source)
    arguments, reads = {"given": Path("studies/other.yaml")}, [Path("results/other/cases.jsonl")]
    assert [*generated("hostile:cases", Path("studies/_code"), arguments, reads)] == ["study: other", "{}"]


def test_rows_come_in_order_however_many_and_large_they_are(commands: list[Command]) -> None:
    source = "def cases(): return ({'id': n, 'text': 'x' * (n * 97 % 9000)} for n in range(300))\n"
    Path("studies/_code/hostile.py").write_text(source)
    rows = [*generated("hostile:cases", Path("studies/_code"), {})]
    assert [(row["id"], len(row["text"])) for row in rows] == [(n, n * 97 % 9000) for n in range(300)]


def test_a_function_answers_again_after_it_has_failed(commands: list[Command]) -> None:
    Path("studies/_code/hostile.py").write_text("import os\ndef ask(row): return [row] if row else os._exit(1)\n")
    with function_of("hostile:ask", Path("studies/_code")) as ask:
        with pytest.raises(OwnCodeError, match="ended with exit code 1"):
            ask(0)
        assert ask(1) == [1]


def test_a_code_folder_that_is_a_link_to_another_place_is_refused(commands: list[Command], tmp_path: Path) -> None:
    Path("studies/_code/hostile.py").touch()
    Path("elsewhere").mkdir()
    Path("elsewhere/_code").symlink_to(tmp_path / "studies/_code")
    with pytest.raises(StudyError, match="expected a folder that stays below elsewhere"):
        command_of("hostile:validate", Path("elsewhere/_code"), "validator")


# --- where the system confines nothing --------------------------------------------------------------------------

GUARDED = {
    "write": "open('x', 'w')",
    "append": "open('x', 'a')",
    "remove": "os.unlink('results/other/cases.jsonl')",
    "move": "os.rename('results/other/cases.jsonl', os.environ['TMPDIR'] + '/x')",
    "make a folder": "os.mkdir('d')",
    "run a shell": "os.system('true')",
    "end a process": "os.kill(1, 0)",
    "bind": "import socket; socket.socket().bind(('127.0.0.1', 0))",
}


@pytest.mark.parametrize("harm", GUARDED.values(), ids=GUARDED)
def test_where_nothing_confines_it_python_refuses_what_it_can(
    commands: list[Command], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    monkeypatch.setattr(confine, "landlock", lambda: 0)
    monkeypatch.setattr(confine, "seccomp", lambda: False)
    commands.append(hostile("function", f"os.chdir({str(tmp_path)!r}); {harm}"))
    before = snapshot(tmp_path)
    said = commands[0].ask("a", 13)
    assert isinstance(said, Failure)
    assert "PermissionError: refused to the code of a study" in said.message
    assert snapshot(tmp_path) == before


def test_where_nothing_confines_it_its_own_folder_is_still_its_own(
    commands: list[Command], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confine, "landlock", lambda: 0)
    commands.append(hostile("function", "Path(os.environ['TMPDIR'], 'x').write_text('x'); open('/dev/null', 'w')"))
    assert commands[0].ask("a", 13) == Verdict(True)


@pytest.mark.parametrize(
    "lacks",
    [
        (0, False, "files (no Landlock), network and processes (no filter of system calls)"),
        (0, True, "files (no Landlock)"),
        (3, True, "signals (Landlock older than 6)"),
    ],
)
def test_what_is_not_confined_here_is_said_once(
    commands: list[Command], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, lacks: tuple[Any, ...]
) -> None:
    version, filters, said = lacks
    monkeypatch.setattr(confine, "landlock", lambda: version)
    monkeypatch.setattr(confine, "seccomp", lambda: filters)
    command._tell_unconfined.cache_clear()
    commands += [hostile("program", "pass"), hostile("program", "pass")]
    assert [each.ask("a", 1) for each in commands] == [Verdict(True)] * 2
    command._tell_unconfined.cache_clear()
    assert [record.getMessage() for record in caplog.records] == [
        f"programs are not confined here: {said}; see docs/security.md"
    ]


@pytest.mark.parametrize("version", range(1, confine.landlock() + 1))
def test_an_older_landlock_bounds_files_too(
    commands: list[Command], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    monkeypatch.setattr(confine, "landlock", lambda: version)
    commands.append(hostile("program", f"open({str(tmp_path / 'home/.ssh/id_rsa')!r})"))
    said = commands[0].ask("a", 13)
    assert isinstance(said, Failure)
    assert "PermissionError" in said.message
    assert commands[0].ask("b", 1) == Verdict(True)


def test_a_program_that_cannot_be_confined_as_it_should_does_not_run(
    commands: list[Command], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = command._settings
    monkeypatch.setattr(command, "_settings", lambda *asked: given(*asked) | {"writes": ["/proc/self/mem\0"]})
    commands.append(hostile("program", "pass"))
    said = commands[0].ask("a", 1)
    assert isinstance(said, Failure)
    assert said.message.startswith("ended with exit code 1: ValueError")
