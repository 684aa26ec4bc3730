#!/usr/bin/env python3
"""trust.py FOLDER [--gpulab PROGRAM] [--figure cold] [--case TEXT]: how often rules call the same code slower or faster.

FOLDER has pairs of documents of `gpulab bench`: base-1.json and new-1.json, base-2.json and new-2.json, and so on. Pairs of
one build count false alarms, pairs of which the second is slower on purpose count what is caught:

    for i in $(seq 20); do
      gpulab bench histogram --runs 3 --output aa/base-$i.json
      gpulab bench histogram --runs 3 --output aa/new-$i.json
    done
    tests/bench/trust.py aa

Prints a table in Markdown: for each rule in how many pairs, and of how many figures, it says slower and faster. Beside
`gpulab report`, on the same samples:

* nvbench's nvbench_compare.py: |difference of means| / mean of the first > the smaller of the two relative standard
  deviations; the samples of all processes together. It knows of no processes.
* nvbench-compare-robust: the intervals from the minimum to the third quartile are apart by at least 0.5 %.
* Google Benchmark's compare.py: Mann-Whitney U test of all samples, two-sided, alpha 0.05 (normal approximation with
  correction for ties), and the same of the medians of the processes, which it sees with one repetition for each process.

Needs Python's standard library alone.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys

rules = {}


def rule(name):
    def add(function):
        rules[name] = function
        return function

    return add


def sign(difference):
    return (difference > 0) - (difference < 0)


def joined(processes):
    return [sample for samples in processes for sample in samples]


def noise_of(samples):
    return statistics.stdev(samples) / statistics.fmean(samples)


@rule("nvbench: means, by the smaller noise")
def nvbench(before, now):
    before, now = joined(before), joined(now)
    if min(len(before), len(now)) < 2:
        return 0
    change = statistics.fmean(now) / statistics.fmean(before) - 1
    return sign(change) if abs(change) > min(noise_of(before), noise_of(now)) else 0


@rule("nvbench-compare-robust: [min, q3] apart by 0.5 %")
def nvbench_robust(before, now):
    def interval(samples):
        ordered = sorted(samples)
        return ordered[0], ordered[math.ceil(0.75 * len(ordered)) - 1]

    (low, high), (low_now, high_now) = interval(joined(before)), interval(joined(now))
    if low_now > high * 1.005:
        return 1
    return -1 if low > high_now * 1.005 else 0


def mann_whitney(before, now):
    """Returns the two-sided p value, by the normal approximation."""
    values = sorted([(value, 0) for value in before] + [(value, 1) for value in now])
    count, ties, rank_sum, begin = len(values), 0, 0.0, 0
    while begin < count:
        end = begin
        while end < count and values[end][0] == values[begin][0]:
            end += 1
        rank_sum += (begin + end + 1) / 2 * sum(side for _, side in values[begin:end])
        ties += (end - begin) ** 3 - (end - begin)
        begin = end
    n, m = len(now), len(before)
    u = rank_sum - n * (n + 1) / 2
    variance = n * m / 12 * (count + 1 - ties / (count * (count - 1)))
    if variance <= 0:
        return 1.0
    z = max(abs(u - n * m / 2) - 0.5, 0) / math.sqrt(variance)
    return math.erfc(z / math.sqrt(2))


def u_test(before, now):
    if min(len(before), len(now)) < 2 or mann_whitney(before, now) >= 0.05:
        return 0
    return sign(statistics.median(now) - statistics.median(before))


@rule("Google Benchmark: U test of samples")
def google_samples(before, now):
    return u_test(joined(before), joined(now))


@rule("Google Benchmark: U test of processes")
def google_processes(before, now):
    return u_test(list(map(statistics.median, before)), list(map(statistics.median, now)))


@rule("ratio of medians above 3 %")
def ratio_alone(before, now):
    ratio = statistics.median(map(statistics.median, now)) / statistics.median(map(statistics.median, before))
    return 1 if ratio >= 1.03 else -1 if ratio <= 1 / 1.03 else 0


def samples_of(path, figures):
    """Returns the samples of each process, by case and figure."""
    found = {}
    for row in json.loads(path.read_text())["results"]:
        for figure in figures:
            timing = row.get(figure)
            if timing and row["valid"] and row["kind"] != "cpu":
                found.setdefault((row["id"], figure), []).append(timing["samples_s"])
    return found


def compared(program, base, new, options):
    """Returns (verdict, ratio, reason) by case and figure; the verdict is 1 for slower, -1 for faster, None for inconclusive."""
    run = subprocess.run([program, "report", str(base), str(new), "--format", "json", *options], capture_output=True, text=True)
    if run.returncode not in (0, 1, 5):
        sys.exit(f"gpulab report {base} {new} ended with {run.returncode}: {run.stderr.strip()}")
    numbers = {"regressed": 1, "improved": -1, "same": 0, "inconclusive": None}
    return {(change["id"], change["figure"]): (numbers[change["verdict"]], change["ratio"], change["reason"])
            for change in json.loads(run.stdout)["changes"] if change["verdict"] in numbers}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--gpulab", default="gpulab", help="the program (default: gpulab in PATH)")
    parser.add_argument("--figure", action="append", help="cold or steady; may be given again (default: both)")
    parser.add_argument("--case", default="", help="only cases whose id has this text")
    parser.add_argument("--threshold", default=None, help="for gpulab report")
    arguments = parser.parse_args()
    figures = arguments.figure or ["cold", "steady"]
    options = ["--threshold", arguments.threshold] if arguments.threshold else []
    bases = sorted(arguments.folder.glob("base-*.json"), key=lambda path: (len(path.name), path.name))
    pairs = [(base, base.with_name(base.name.replace("base-", "new-", 1))) for base in bases]
    pairs = [(base, new) for base, new in pairs if new.exists()]
    if not pairs:
        sys.exit(f"{arguments.folder} has no base-*.json with a new-*.json beside it")

    own = "gpulab report"
    verdicts = {name: [] for name in [own, *rules]}  # of each pair, those of its figures
    undecided, alarms, ratios = [], [], []
    for base, new in pairs:
        before, now = samples_of(base, figures), samples_of(new, figures)
        cases = [key for key in before if key in now and arguments.case in key[0]]
        by_gpulab = compared(arguments.gpulab, base, new, options)
        cases = [key for key in cases if key in by_gpulab]
        for name, judge in rules.items():
            verdicts[name].append([judge(before[key], now[key]) for key in cases])
        verdicts[own].append([by_gpulab[key][0] for key in cases])
        for key in cases:
            verdict, ratio, reason = by_gpulab[key]
            ratios.append(ratio)
            if verdict is None:
                undecided.append(f"{base.name}, {key[0]}, {key[1]}: {reason}")
            elif verdict != 0:
                alarms.append(f"{base.name}, {key[0]}, {key[1]}: {'slower' if verdict > 0 else 'faster'}, {ratio:.4f}")

    count = sum(len(pair) for pair in verdicts[own])
    if count == 0:
        sys.exit("no figure is in both documents of a pair")
    ordered = sorted(ratios)
    print(f"{len(pairs)} pairs, {count} figures ({', '.join(figures)}). now / before: median {statistics.median(ordered):.4f}, "
          f"from {ordered[0]:.4f} to {ordered[-1]:.4f}\n")
    print("| rule | pairs with slower | pairs with faster | figures slower | figures faster | cannot tell |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, of_pairs in verdicts.items():
        every = [verdict for pair in of_pairs for verdict in pair]
        print(f"| {name} | {sum(1 in pair for pair in of_pairs)} of {len(pairs)} | {sum(-1 in pair for pair in of_pairs)} of {len(pairs)} "
              f"| {every.count(1)} of {count} | {every.count(-1)} of {count} | {every.count(None)} |")
    for title, lines in (("gpulab report says", alarms), ("gpulab report cannot tell", undecided)):
        if lines:
            print(f"\n{title}:")
        print("".join(f"- {line}\n" for line in lines[:40]), end="")
        if len(lines) > 40:
            print(f"- and {len(lines) - 40} more")


if __name__ == "__main__":
    main()
