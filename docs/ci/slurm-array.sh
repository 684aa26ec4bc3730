#!/bin/bash
# Measures one size in each task of a job array; when all tasks have ended, one more job compares with an earlier run.
#
#   slurm-array.sh submit base        measures, and keeps base-0.json, base-1.json, ...
#   slurm-array.sh submit new base    measures, and then compares new with base: new.txt, new.html
#
# Type this on the login node, in a folder that the nodes share. They need gpulab in PATH, and jq for the web page.
# Change the lines above the first function. All tasks must get the same kind of GPU: different GPUs are not compared.
set -euo pipefail

lessons=(histogram reduction)
sizes=(2^20 2^22 2^24 2^26 2^28)
measuring_job=(--job-name=gpulab --gres=gpu:1 --cpus-per-task=8 --time=00:30:00)
comparing_job=(--job-name=gpulab-compare --time=00:10:00)

# submit NAME [BASE]. The last job runs even if a task has failed: the comparison says what is missing.
submit() {
  local array
  array=$(sbatch --parsable --array="0-$((${#sizes[@]} - 1))" "${measuring_job[@]}" "$0" measure "$1")
  echo "$1 is measured by job array ${array%%;*}"
  if [[ -n ${2:-} ]]; then
    sbatch --dependency="afterany:${array%%;*}" "${comparing_job[@]}" "$0" compare "$1" "$2"
  fi
}

# measure NAME: measures one size. A task that Slurm has requeued continues its document.
measure() {
  local part=$1-$SLURM_ARRAY_TASK_ID.json to=--output
  if ((${SLURM_RESTART_COUNT:-0} > 0)) && [[ -s $part ]]; then to=--resume; fi
  # exec replaces this shell, so that Slurm's signal before the time limit reaches gpulab.
  exec gpulab bench "${lessons[@]}" --size "${sizes[SLURM_ARRAY_TASK_ID]}" --device cuda "$to" "$part"
}

# parts NAME: prints the names of the documents that its tasks have written.
parts() {
  local task
  for task in "${!sizes[@]}"; do if [[ -s $1-$task.json ]]; then echo "$1-$task.json"; fi; done
}

# merged PART...: prints one document with the rows of all parts.
merged() {
  jq --slurp '.[0] + {results: map(.results[]), claims: map(.claims[]), complete: all(.[]; .complete)}' "$@"
}

# compare NAME BASE: ends with 5 if something regressed or could not be judged, such as a size that was not measured.
compare() {
  local code=0 now base
  mapfile -t now < <(parts "$1")
  mapfile -t base < <(parts "$2")
  gpulab report --strict --output "$1.txt" "${base[@]}" -- "${now[@]}" || code=$?
  merged "${base[@]}" > "$2.json"
  merged "${now[@]}" > "$1.json"
  gpulab report "$2.json" "$1.json" --output "$1.html" --quiet || true
  exit "$code"
}

case ${1:-} in
  submit | measure | compare) "$@" ;;
  *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" && exit 2 ;;
esac
