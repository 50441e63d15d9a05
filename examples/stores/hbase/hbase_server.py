#!/usr/bin/env python3
"""Runs HBase as one process of this machine, for tests.

usage: hbase_server.py JARS FOLDER

JARS is a folder for HBase's jars. If the folder is missing, Maven fetches the jars; several processes may do so at once.
FOLDER has the data, the log of HBase, and a file `address` (host:port of the master). If HBase is started there again, the
address stays the same. The process becomes Java, so killing the process kills HBase. The process is also killed when the
thread that started it ends. The status is 77 if Java, Maven or the jars are not available.
"""
import ctypes
import fcntl
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys

SKIPPED = 77
PR_SET_PDEATHSIG = 1


def skip(reason):
    print(f"skipped: {reason}", flush=True)
    sys.exit(SKIPPED)


def fetch(jars):
    """Fetches the jars that hbase/pom.xml pins. No incomplete folder of jars is ever visible."""
    jars.parent.mkdir(parents=True, exist_ok=True)
    with open(jars.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if jars.exists():
            return
        part = jars.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        pom = pathlib.Path(__file__).resolve().parent / "pom.xml"
        command = ["mvn", "--batch-mode", "--quiet", "--file", pom,
                   "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies",
                   f"-DoutputDirectory={part.resolve()}", "-DincludeScope=runtime"]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600,
                                  check=False)
        except subprocess.TimeoutExpired:
            skip("Maven does not come to an end")
        if done.returncode != 0:
            print(done.stdout[-2000:])
            skip("Maven cannot fetch HBase")
        part.rename(jars)


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def configure(folder):
    """Writes the settings of a folder at its first start."""
    site = folder / "hbase-site.xml"
    if site.exists():
        return
    master, region, zookeeper = free_ports(3)
    settings = {
        "hbase.rootdir": f"file://{folder}/root",
        "hbase.tmp.dir": f"{folder}/tmp",
        "hbase.unsafe.stream.capability.enforce": "false",  # local files have no hflush
        "hbase.master.port": master,
        "hbase.regionserver.port": region,
        "hbase.zookeeper.property.clientPort": zookeeper,
        "hbase.zookeeper.property.clientPortAddress": "127.0.0.1",
        "hbase.zookeeper.property.dataDir": f"{folder}/zookeeper",
        "hbase.zookeeper.quorum": "127.0.0.1",
        # A pause longer than the server's session in ZooKeeper ends the server, and a busy machine causes long pauses.
        "hbase.zookeeper.property.tickTime": 60000,
        "zookeeper.session.timeout": 1000000,
        "zookeeper.session.timeout.localHBaseCluster": 1000000,
        "hbase.master.hostname": "localhost",
        "hbase.regionserver.hostname": "localhost",
        "hbase.master.ipc.address": "127.0.0.1",
        "hbase.regionserver.ipc.address": "127.0.0.1",
        "hbase.master.info.port": -1,
        "hbase.regionserver.info.port": -1,
        "hbase.master.wait.on.regionservers.maxtostart": 1,
        "hbase.master.wait.on.regionservers.interval": 50,
        "hbase.regionserver.handler.count": 8,
    }
    lines = [f"<property><name>{name}</name><value>{value}</value></property>" for name, value in settings.items()]
    site.write_text("\n".join(["<configuration>", *lines, "</configuration>", ""]), encoding="utf-8")
    (folder / "log4j.properties").write_text(
        "log4j.rootLogger=WARN, all\nlog4j.appender.all=org.apache.log4j.ConsoleAppender\n"
        "log4j.appender.all.layout=org.apache.log4j.PatternLayout\n"
        "log4j.appender.all.layout.ConversionPattern=%d %p %c{1}: %m%n\n", encoding="ascii")
    part = folder / "address.part"
    part.write_text(f"localhost:{master}", encoding="ascii")
    part.rename(folder / "address")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    starter = os.getppid()
    jars, folder = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2]).absolute()
    for program in ("java", "mvn"):
        if not shutil.which(program):
            skip(f"{program} is not there")
    fetch(jars)
    folder.mkdir(parents=True, exist_ok=True)
    configure(folder)
    # A process keeps this setting through exec, so it holds for the Java that this process becomes.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != starter:
        sys.exit("whoever started this has ended")
    with open(folder / "log", "ab") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    os.execvp("java", ["java", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
                       f"-Djava.io.tmpdir={folder}", "-cp", f"{folder}:{jars}/*",
                       "org.apache.hadoop.hbase.master.HMaster", "start"])


if __name__ == "__main__":
    main()
