#!/usr/bin/env python3
"""slurm_test.py TESTS PROGRAM: ranks that a real Slurm starts find each other, and docs/cluster.md does what it says.

munged, slurmctld and two slurmd run while the test does, with their own configuration, as two nodes with two fake GPUs
each. Skipped (77), with the reason, where that is not possible.
"""
import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "cluster.md"
TESTS = PROGRAM = ""
NODES = ("n1", "n2")

# Each node has its own folder for temporary files, since both would put the socket of PMIx in the same place.
SLURM_CONF = """
ClusterName=gpulab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
TmpFS={folder}/tmp-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
MpiDefault=none
GresTypes=gpu
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=8 Gres=gpu:2
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=8 Gres=gpu:2
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

# The GPUs of these nodes are not real.
SIMULATED = """#!/bin/bash
case $1 in multi-gpu) set -- "$@" --device simulator ;; esac
exec {program} "$@"
"""


def missing_requirement():
    for program in ("munged", "slurmctld", "slurmd", "srun", "sbatch", "mpirun"):
        if not shutil.which(program, path=PATH):
            return f"{program} is not installed"
    if os.geteuid() != 0:
        return "only root can start slurmd"
    if not os.listdir("/sys/fs/cgroup"):
        return "slurmd wants control groups, and /sys/fs/cgroup is empty"
    if ": Open MPI" not in subprocess.run([PROGRAM, "doctor"], capture_output=True, text=True).stdout:
        return "gpulab was not built with Open MPI"
    return ""


PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"


def control_groups():
    """Returns the plugin for control groups, of which none is used. Before Slurm 24 slurmd requires some."""
    version = subprocess.run(["slurmd", "-V"], env={"PATH": PATH}, capture_output=True, text=True).stdout
    if int(re.search(r"\d+", version)[0]) >= 24:
        return "disabled"
    return "cgroup/v2" if pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists() else "cgroup/v1"


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for probe in sockets:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in sockets]
    for probe in sockets:
        probe.close()
    return ports


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class ClusterDoesNotStart(Exception):
    pass


class Cluster:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gpulab-slurm-", dir="/tmp"))  # a socket's path is short
        self.daemons = []
        self.environment = {**os.environ, "PATH": f"{self.folder}/bin:{PATH}",
                            "SLURM_CONF": f"{self.folder}/slurm.conf", "XDG_CACHE_HOME": CACHE, "HOME": str(self.folder),
                            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            # Two nodes that are one machine must not share memory under the same names.
                            "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp", "OMPI_MCA_btl_tcp_if_include": "lo"}

    def start(self):
        folder = self.folder
        folder.chmod(0o755)
        for name in ("bin", "state", *NODES, *(f"tmp-{node}" for node in NODES)):
            (folder / name).mkdir()
        (folder / "bin" / "gpulab").write_text(SIMULATED.format(program=PROGRAM))
        (folder / "bin" / "gpulab").chmod(0o755)
        (folder / "munge.key").write_bytes(os.urandom(1024))
        (folder / "munge.key").chmod(0o400)
        host = socket.gethostname().split(".")[0]
        (folder / "slurm.conf").write_text(SLURM_CONF.format(folder=folder, host=host, ports=free_ports(3)))
        (folder / "cgroup.conf").write_text(f"CgroupPlugin={control_groups()}\nIgnoreSystemd=yes\n")
        (folder / "gres.conf").write_text("".join(
            f"NodeName={node} Name=gpu File={folder}/{node}-gpu[0-1]\n" for node in NODES))
        for node in NODES:
            for gpu in "01":
                os.mknod(folder / f"{node}-gpu{gpu}", 0o600 | 0o020000, os.makedev(1, 3))  # like /dev/null
        files = [f"--{what}={folder}/munge.{end}" for what, end in (
            ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))]
        self.daemon("munged", "--foreground", "--force", *files)
        self.wait_for("munge's socket", (folder / "munge.socket").exists)
        self.daemon("slurmctld", "-D", "-c")
        for node in NODES:
            self.daemon("slurmd", "-D", "-N", node)
        self.wait_for("two idle nodes", lambda: self.run("sinfo", "-h", "-o", "%t %D").stdout.split() == ["idle", "2"])

    def daemon(self, *words):
        log = open(self.folder / f"{len(self.daemons)}-{words[0]}.out", "w")
        self.daemons.append(subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                             start_new_session=True, preexec_fn=end_with_parent))

    def wait_for(self, what, is_there):
        for _ in range(150):
            if is_there():
                return
            time.sleep(0.1)
        logs = "\n".join(file.read_text(errors="replace")[-1500:] for file in self.folder.glob("*.out"))
        raise ClusterDoesNotStart(f"{what} did not come within 15 s:\n{logs}")

    def run(self, *words, seconds=50, folder=None, **variables):
        return subprocess.run(words, env={**self.environment, **variables}, cwd=folder or self.folder, timeout=seconds,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def stop(self):
        try:
            self.run("scancel", "--state=RUNNING", "--state=PENDING", "--me", seconds=5)
            self.wait_for("the end of all jobs", lambda: not self.run("squeue", "-h", seconds=5).stdout.strip())
        except (OSError, ClusterDoesNotStart, subprocess.SubprocessError) as error:
            print(error, file=sys.stderr)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=5)
            except subprocess.TimeoutExpired:
                daemon.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Slurm(unittest.TestCase):
    def as_rank(self, test_case, *launcher, **variables):
        return CLUSTER.run(*launcher, TESTS, "--as-rank", test_case, **variables)

    def assert_all_right(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line[:9] for line in sorted(done.stdout.splitlines())], [f"rank {i} of" for i in range(4)])
        return sorted(done.stdout.splitlines())

    def test_srun_starts_ranks_on_two_nodes(self):
        lines = self.assert_all_right(self.as_rank("everything", "srun", "-N2", "--ntasks-per-node=2", "--mpi=pmix"))
        self.assertEqual([re.search("local (.*) on", line)[1] for line in lines], ["0 of 2", "1 of 2", "0 of 2", "1 of 2"])

    def test_mpirun_finds_the_nodes_of_an_allocation(self):
        self.assert_all_right(self.as_rank("everything", "salloc", "-Q", "-N2", "--ntasks-per-node=2", "mpirun"))

    def test_srun_without_mpi_says_what_to_type(self):
        done = self.as_rank("everything", "srun", "-N2", "-n2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("type srun --mpi=pmix", done.stderr)

    def test_the_error_of_one_rank_ends_all(self):
        start = time.monotonic()
        done = self.as_rank("throws", "srun", "-N2", "-n4", "--mpi=pmix")
        # srun returns the highest code of all ranks. Where one aborts, Open MPI sometimes crashes in another that waits
        # in a barrier.
        self.assertIn(done.returncode, (2, 128 + signal.SIGSEGV), done.stderr)
        self.assertIn("gpulab: rank 1 lacks its kernel", done.stderr)
        self.assertLess(time.monotonic() - start, 15)

    def test_a_rank_that_is_killed_ends_all(self):
        start = time.monotonic()
        self.assertNotEqual(self.as_rank("killed", "srun", "-N2", "-n4", "--mpi=pmix").returncode, 0)
        self.assertLess(time.monotonic() - start, 15)

    def test_gpus_of_a_node_are_all_visible_and_gpus_of_a_task_are_not(self):
        for option, seen in (("--gpus-per-node=2", ["0,1"] * 4), ("--gpus-per-task=1", ["0", "0", "1", "1"])):
            done = CLUSTER.run("srun", "-N2", "--ntasks-per-node=2", option, "printenv", "CUDA_VISIBLE_DEVICES")
            self.assertEqual(sorted(done.stdout.split()), seen, option)


class Page(unittest.TestCase):
    """The files and commands of docs/cluster.md, on the simulator."""

    def setUp(self):
        if "multi-gpu" not in CLUSTER.run("gpulab", "list").stdout:
            self.skipTest("gpulab has no lesson multi-gpu")
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=CLUSTER.folder))
        for name, text in re.findall(r"<!-- make: (\S+) -->\n```\w*\n(.*?)```", PAGE.read_text(), re.S):
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(text)

    def batch(self, *words, **variables):
        done = CLUSTER.run("sbatch", "--wait", *words, folder=self.folder, **variables)
        logs = "\n".join(log.read_text() for log in sorted(self.folder.glob("*.log")))
        self.assertEqual(done.returncode, 0, f"{done.stderr}\n{logs}")
        return logs

    def test_the_batch_job_runs_one_rank_for_each_gpu(self):
        log = self.batch("cluster.sh", SIZE="10007")
        self.assertEqual(log.count("\nvariant "), 1, f"one rank prints:\n{log}")
        [document] = [json.loads(file.read_text()) for file in self.folder.glob("multi-gpu-*.json")]
        self.assertIn("ranks", json.dumps(document))

    def test_the_sweep_becomes_one_table(self):
        self.batch("--array=10-12:2", "sweep.sh")
        [command] = re.findall(r"^\$ (jq .*)$", PAGE.read_text(), re.M)
        table = CLUSTER.run("bash", "-c", command, folder=self.folder).stdout.splitlines()
        for size in (1 << 10, 1 << 12):
            self.assertTrue(any(row.startswith(f'{size},"all-reduce","right",') for row in table), table)


if __name__ == "__main__":
    TESTS, PROGRAM = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    if reason := missing_requirement():
        print(f"skipped: {reason}")
        sys.exit(77)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    CACHE = tempfile.mkdtemp(prefix="gpulab-cache-")
    CLUSTER = Cluster()
    try:
        CLUSTER.start()
        unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False).result.wasSuccessful() or sys.exit(1)
    except ClusterDoesNotStart as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    finally:
        CLUSTER.stop()
        shutil.rmtree(CACHE, ignore_errors=True)
