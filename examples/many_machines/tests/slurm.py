"""Starts a cluster of Slurm on this machine: munged, slurmctld and two nodes. All their files are in one folder."""

import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
SETTINGS = """
ClusterName=neardup
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
SlurmdParameters=config_overrides
KillWait=2
NodeName=n0 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2
PartitionName=all Nodes=ALL Default=YES
"""


def path():
    """Returns a PATH that includes the folders in which Debian has daemons."""
    return os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])


def missing():
    return [name for name in PROGRAMS if shutil.which(name, path=path()) is None]


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """A cluster that runs during a `with` statement. `environment` is for commands such as sbatch."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_"))}
        self.environment |= {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": path()}
        self.daemons = []

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        (self.folder / "state").mkdir(parents=True)
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        user, host = pwd.getpwuid(os.geteuid()).pw_name, socket.gethostname().split(".")[0]
        settings = SETTINGS.format(folder=self.folder, user=user, host=host, ports=free_ports(3))
        (self.folder / "slurm.conf").write_text(settings, encoding="utf-8")
        files = {"socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed", "key-file": "key"}
        options = [f"--{name}={self.folder}/munge.{suffix}" for name, suffix in files.items()]
        # --force: munged would refuse the folder of the user, because other users cannot enter it.
        self.daemon("munged", "--foreground", "--force", *options)
        self.await_that("munged", lambda: (self.folder / "munge.socket").exists())
        self.daemon("slurmctld", "-D")
        for node in ("n0", "n1"):
            (self.folder / f"spool.{node}").mkdir()
            self.daemon("slurmd", "-D", "-N", node)
        self.await_that("the nodes", lambda: self.command("sinfo", "-h", "-N", "-o", "%T").split() == ["idle", "idle"])

    def daemon(self, name, *options):
        # If the test is killed, its daemons are killed, too.
        command = ["setpriv", "--pdeathsig", "TERM", name, *options]
        with open(self.folder / f"{name}.out", "ab") as out:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out))

    def command(self, *words):
        """Runs a command of Slurm. Returns: its output."""
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=60, check=False).stdout

    def await_that(self, what, holds):
        end = time.monotonic() + 60
        while not holds():
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in self.daemons):
                said = "".join(path.read_text(errors="replace")[-3000:] for path in sorted(self.folder.glob("*.[lo][ou][gt]")))
                raise RuntimeError(f"Slurm does not run: waited for {what}\n{said}")
            time.sleep(0.1)

    def processes(self):
        """Returns the numbers of all processes of this cluster. Their environment names its settings."""
        mine, own = f"SLURM_CONF={self.folder}/slurm.conf\0".encode(), os.getpid()
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            try:
                if pid != own and mine in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                    yield pid
            except OSError:
                continue

    def stop(self):
        """Ends the daemons, and tasks that still run, which are not children of slurmd."""
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
