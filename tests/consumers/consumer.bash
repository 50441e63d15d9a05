# Functions for scripts that use neardup as its users do. $work is the folder for their files.
# shellcheck shell=bash

# The file has a line for each consumer: pass, skip or FAIL, and the name of the consumer.
results="${work:?}/results.txt"
: >"$results"

# consumer NAME COMMAND…: runs the command. Exit status 0 is a pass, 77 a skip, any other a failure.
consumer() {
  local name=$1 log
  shift
  log=$(mktemp "$work/log.XXXXXX")
  # The subshell sets -e, and is no part of a condition: in a condition, the shell would go on after a failed command.
  set +e
  (
    set -e
    "$@"
  ) >"$log" 2>&1 </dev/null
  local status=$?
  set -e
  if ((status == 0)); then
    printf 'pass  %s\n' "$name" | tee -a "$results"
  elif ((status == 77)); then
    printf 'skip  %s: %s\n' "$name" "$(tail -n 1 "$log")" | tee -a "$results"
  else
    printf 'FAIL  %s\n%s\n' "$name" "$(sed 's/^/      /' "$log")" | tee -a "$results"
  fi
}

# Prints the number of consumers that passed, failed or were skipped. Fails if a consumer failed.
consumers_end() {
  local failed
  failed=$(count FAIL)
  printf 'consumers: %d passed, %d failed, %d skipped\n' "$(count pass)" "$failed" "$(count skip)"
  ((failed == 0))
}
count() { grep -c "^$1 " "$results" || true; }
