"""A SLURM of one node, on loopback only, in a folder of its own; its daemons end with the process that started them."""

from __future__ import annotations

import getpass
import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

DAEMONS = ("munged", "slurmctld", "slurmd")
PROGRAMS = (*DAEMONS, "munge", "sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun", "setpriv")
PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
"""Where programs are; daemons are not on everyone's path."""

CONFIGURATION = """\
ClusterName=mateprobe
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
MinJobAge=3600
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=16000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

# Jobs call srun without the variables of SLURM; it would look for /etc/slurm/slurm.conf, which is the machine's.
SRUN = """\
#!/bin/sh
SLURM_CONF={configuration} exec {srun} "$@"
"""

# The executor turns to sacct when it finds no controller, and stays there; without accounting that says nothing, ever.
SACCT = """\
#!/bin/sh
for name; do :; done
exec squeue --noheader --states=all --format='%i|%T' --name "$name"
"""

Answer = TypeVar("Answer")


def missing() -> list[str]:
    """Return the programs that a cluster needs and this machine has not."""
    return [program for program in PROGRAMS if not shutil.which(program, path=PATH)]


def until(what: str, asked: Callable[[], Answer], seconds: float = 60, how: Callable[[], str] = str) -> Answer:
    """Ask again and again; return the first answer that is true.

    Raises:
        AssertionError: there was none in time; ``how`` says how things stand.
    """
    latest = time.monotonic() + seconds
    while not (answer := asked()):
        assert time.monotonic() < latest, f"waited {seconds:g} s for {what}\n{how()}"
        time.sleep(0.05)
    return answer


def variables(pid: int) -> dict[str, str]:
    """Return the variables that a process was started with."""
    entries = os.fsdecode(Path(f"/proc/{pid}/environ").read_bytes()).split("\0")
    return {name: value for name, _, value in (entry.partition("=") for entry in entries)}


class Cluster:
    """The daemons, what they are asked with, and the environment in which ``sbatch`` finds them."""

    def __init__(self, folder: Path, cpus: int) -> None:
        """Write the configuration; nothing runs yet."""
        self.folder = folder
        self.configuration = folder / "slurm.conf"
        self.environment = {
            "PATH": f"{folder}/bin:{PATH}",
            "SLURM_CONF": str(self.configuration),
        }
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        host = socket.gethostname().partition(".")[0]
        for name in ("munge", "state", "spool", "log", "bin"):
            (folder / name).mkdir(parents=True)
        key = folder / "munge" / "key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        self.configuration.write_text(
            CONFIGURATION.format(host=host, ports=_free_ports(2), user=getpass.getuser(), folder=folder, cpus=cpus)
        )
        real = shlex.quote(str(shutil.which("srun", path=PATH)))
        srun = SRUN.format(configuration=shlex.quote(str(self.configuration)), srun=real)
        for program, script in (("srun", srun), ("sacct", SACCT)):
            (folder / "bin" / program).write_text(script)
            (folder / "bin" / program).chmod(0o755)

    def start(self, daemon: str) -> None:
        """Start one of the daemons and wait until it answers."""
        munge = self.folder / "munge"
        arguments, answers = {
            "munged": (
                ("--foreground", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket",
                 f"--pid-file={munge}/pid", f"--seed-file={munge}/seed", "--num-threads=2"),
                ("munge", "--no-input", f"--socket={munge}/socket"),
            ),
            "slurmctld": (("-D",), ("scontrol", "ping")),
            "slurmd": (("-D",), ("sinfo", "--noheader", "--states=idle,alloc,mixed", "--format=%N")),
        }[daemon]  # fmt: skip
        log = (self.folder / "log" / daemon).open("ab")
        with log:
            self._running[daemon] = process = subprocess.Popen(
                [str(shutil.which("setpriv", path=PATH)), "--pdeathsig", "KILL", daemon, *arguments],
                env=os.environ | self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip

        def up() -> bool:
            assert process.poll() is None, f"{daemon} ended with status {process.returncode}\n{self.log(daemon)}"
            done = self._run(*answers)
            return done.returncode == 0 and bool(done.stdout.strip())

        until(f"{daemon} to answer", up, how=lambda: self.log(daemon))

    def kill(self, daemon: str) -> None:
        """Kill a daemon as a crash would."""
        process = self._running.pop(daemon)
        process.kill()
        process.wait()

    def settle(self, job: str) -> None:
        """Wait until the controller has written its state; what it learned since then is lost with it for a long while.

        It writes a few seconds after a change, so a job is given a minute more.
        """
        state = self.folder / "state" / "job_state"
        before = state.stat().st_mtime_ns
        self.ask("scontrol", "update", f"JobId={job}", "TimeLimit+=1")
        until("the controller to write its state", lambda: state.stat().st_mtime_ns != before)

    def stop(self) -> None:
        """End everything: jobs by the controller if it still answers, all that is left by signals."""
        with suppress(AssertionError, KeyError):
            assert self._run("scancel", "--user", getpass.getuser()).returncode == 0
            until("jobs to end", lambda: not self.ask("squeue", "--noheader"), 15)
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._running.clear()
        for pid in self.strays():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def strays(self) -> list[int]:
        """Return the processes that belong to this cluster and are not its daemons: steps and what they run."""
        mine = {os.getpid(), *(process.pid for process in self._running.values())}
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # ended meanwhile, or another user's
                if variables(pid := int(path.name)).get("SLURM_CONF") == str(self.configuration) and pid not in mine:
                    found.append(pid)
        return found

    def ask(self, *command: str) -> str:
        """Return what a command of SLURM says."""
        done = self._run(*command)
        assert done.returncode == 0, f"{shlex.join(command)}: {done.stderr}\n{self.log('slurmctld')}"
        return done.stdout.strip()

    def jobs(self) -> list[dict[str, str]]:
        """Return what the controller knows of every job that was submitted."""
        lines = self.ask("scontrol", "--oneliner", "show", "jobs").splitlines()
        return [dict(re.findall(r"(\w+)=(\S+)", line)) for line in lines if line.startswith("JobId=")]

    def log(self, daemon: str) -> str:
        """Return the end of a daemon's log."""
        return (self.folder / "log" / daemon).read_text("utf-8", "replace")[-4000:]

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, env=os.environ | self.environment, capture_output=True, text=True, timeout=60, check=False
        )


@contextmanager
def running(folder: Path, cpus: int) -> Iterator[Cluster]:
    """Start a cluster; end all of it, whatever happens."""
    cluster = Cluster(folder, cpus)
    try:
        for daemon in DAEMONS:
            cluster.start(daemon)
        yield cluster
    finally:
        cluster.stop()


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [opened.getsockname()[1] for opened in sockets]
    finally:
        for opened in sockets:
            opened.close()
