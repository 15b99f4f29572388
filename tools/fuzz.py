"""Fuzzes one of the targets in `fuzz_targets.py`; run by `make fuzz`.

    python tools/fuzz.py TARGET [--seconds 60]

Inputs are made by atheris (libFuzzer), which goes by the branches of our code that they reach. It begins with the seeds
in tests/corpus/TARGET and with what was worth keeping of earlier runs, in .cache/fuzz/TARGET. What fails is written to
.cache/fuzz/found/TARGET, one input for each kind of failure: a fault is mended, then its input, made small by hand or
with `--minimize FILE`, is kept in tests/corpus/TARGET, where a test replays it. Seconds are of processor time.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "fuzz"
SEEDS = ROOT / "tests" / "corpus"
INPUT_LIMIT = 8192  # bytes
HANG = 5  # seconds for one input
MEMORY = 1024  # MiB
EVERY = 60  # seconds from one word on how it goes to the next
HARMFUL = (
    *(rb"\ud800", rb"\u001b[2J", rb"\u0000", b"\x1b[31m", b"\xc2\x9b", b"\xe2\x80\xae", b"\xef\xbb\xbf", b"\xff"),
    *(b"1e999", b"NaN", b"-Infinity", b"-0", b"0x1F", b"[[[[[[[[", b'{"a":' * 8, b"9" * 40, b"\r\n", b"\r", b"\0"),
    *(b"&a", b"*a", b"<<", b"!!set", b"!!python/name:os.system", b"? ", b"---", b"%YAML 1.1", b"2020-01-01", b".inf"),
    *(b"../", b"/etc/passwd", b"\\", b"=1+1", b"@", b"(a+)+$", b"(?P<a>", b"path=", b"GNU.sparse.map=", b"size="),
)


def main() -> int:
    """Fuzzes, or makes one input smaller; returns 1 if something failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", metavar="TARGET", help="loader, study, records, worker or archive")
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time to spend (default: %(default)s)")
    parser.add_argument("--minimize", type=Path, metavar="FILE", help="make FILE smaller that fails, and print it")
    args = parser.parse_args()
    sys.path[:0] = [str(ROOT)]
    if args.minimize:
        print(repr(smaller(target_called(args.target), args.minimize.read_bytes())))
        return 0
    return fuzz(args.target, args.seconds)


def target_called(name: str) -> Callable[[bytes], str]:
    """Returns a function that says how a target fails on an input: in an empty folder, and empty if it does not."""
    target = import_module("tools.fuzz_targets").TARGETS[name]
    folder = Path(tempfile.mkdtemp(prefix="mateprobe-fuzz-"))

    def failure(data: bytes) -> str:
        folder.mkdir(exist_ok=True)
        try:
            target(data, folder)
        except Exception as error:  # noqa: BLE001 - any exception is what is looked for
            place = traceback.extract_tb(error.__traceback__)[-1]
            return f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
        finally:
            shutil.rmtree(folder)
        return ""

    return failure


def fuzz(name: str, seconds: float) -> int:
    """Runs the fuzzer until the time is up; a hang or too much memory ends it at once."""
    atheris: Any = import_module("atheris")
    with atheris.instrument_imports(include=["mateprobe", "tools"]):
        failure = target_called(name)
    found, kept = CACHE / "found" / name, CACHE / name
    for folder in (found, kept):
        folder.mkdir(parents=True, exist_ok=True)
    kinds: dict[str, int] = {}
    executions, told = 0, 0.0

    def once(data: bytes) -> None:
        nonlocal executions, told
        executions += 1
        if kind := failure(data):
            if kind not in kinds:
                (found / f"{len(kinds):02d}-{kind.split()[0]}").write_bytes(data)
                print(f"{name}: {kind}: {data[:200]!r}", flush=True)
            kinds[kind] = kinds.get(kind, 0) + 1
        spent = time.process_time()
        if spent >= min(told + EVERY, seconds):
            told = spent
            print(f"{name}: {executions:,} executions in {spent:.0f} s, {len(kinds)} kinds of failure", flush=True)
        if spent >= seconds:
            print("".join(f"  {kind}: {count:,} times\n" for kind, count in kinds.items()), end="", flush=True)
            os._exit(bool(kinds))  # libFuzzer knows no other way out

    options = [f"-max_len={INPUT_LIMIT}", f"-timeout={HANG}", f"-rss_limit_mb={MEMORY}", "-print_final_stats=1"]
    options += [f"-artifact_prefix={found}/", f"-dict={words(name)}", "-verbosity=0", str(kept), str(SEEDS / name)]
    atheris.Setup([sys.argv[0], *options], once)
    atheris.Fuzz()
    return 0


def words(name: str) -> Path:
    """Writes the words that seeds are made of, and some that did harm elsewhere, for the fuzzer to play with."""
    seeds = b"\n".join(path.read_bytes() for path in sorted((SEEDS / name).iterdir()))
    found = {*re.findall(rb"[\w./:-]{2,40}|[^\w\s]+", seeds), *HARMFUL}
    path = CACHE / f"{name}.dict"
    path.write_text("".join('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in sorted(found)))
    return path


def smaller(failure: Callable[[bytes], str], data: bytes) -> bytes:
    """Returns an input that fails in the same way and from which no piece can be taken."""
    kind = failure(data)
    size = len(data)
    while kind and size:
        start = 0
        while start < len(data):
            shorter = data[:start] + data[start + size :]
            if failure(shorter) == kind:
                data = shorter
            else:
                start += size
        size //= 2
    return data


if __name__ == "__main__":
    sys.exit(main())
