"""Runs a command on one core. Prints its CPU seconds, its peak memory in MB and its exit status as JSON.

usage: measure.py SECONDS GIGABYTES COMMAND…      (limits of the CPU time and of the allocated memory; the command's
output goes to standard error)
"""

import json
import os
import resource
import sys

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "POLARS_MAX_THREADS")
seconds, gigabytes, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
child = os.fork()
if child == 0:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    # Beside other programs, the clock of this limit counts up to 11 % more than the time that is printed.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds * 5 // 4, seconds * 5 // 4 + 2))
    resource.setrlimit(resource.RLIMIT_DATA, (gigabytes << 30, gigabytes << 30))
    os.dup2(2, 1)
    os.execvpe(command[0], command, os.environ | dict.fromkeys(ONE_THREAD, "1"))
_, status, used = os.wait4(child, 0)
print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss / 1024, "status": os.waitstatus_to_exitcode(status)}))
