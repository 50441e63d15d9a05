# Functions of the scripts that use neardup as people do. $work is the folder that they work in.
# shellcheck shell=bash

# A line for each consumer: pass, skip or FAIL, and its name.
results="${work:?}/results.txt"
: >"$results"

# consumer NAME COMMAND… : passes if the command does.
consumer() {
  local name=$1 log
  shift
  log=$(mktemp "$work/log.XXXXXX")
  # A subshell with -e of its own: inside a condition the shell would go on after a failed command.
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

# Prints the sum, and fails if a consumer failed.
consumers_end() {
  local failed
  failed=$(count FAIL)
  printf 'consumers: %d passed, %d failed, %d skipped\n' "$(count pass)" "$failed" "$(count skip)"
  ((failed == 0))
}
count() { grep -c "^$1 " "$results" || true; }
