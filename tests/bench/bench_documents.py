"""Documents as `gpulab bench` writes them on a GPU, for tests on machines that have none: a model of a memory system, a
bit of noise, and names that contain markup.
"""
import json
import random

GPU = {"kind": "cuda", "index": 0, "name": "NVIDIA H200", "compute_capability": "9.0", "multiprocessors": 132,
       "memory_bytes": 150754820096, "l2_bytes": 62914560, "clock_hz": 1.98e9, "memory_clock_hz": 3.201e9,
       "peak_bytes_per_s": 4.814e12, "peak_operations_per_s": 66.9e12, "driver": "580.159.04"}
SIMULATOR = {"kind": "simulator", "index": 0, "name": "simulator on 16 threads", "compute_capability": None,
             "multiprocessors": None, "memory_bytes": None, "l2_bytes": None, "clock_hz": None, "memory_clock_hz": None,
             "peak_bytes_per_s": None, "peak_operations_per_s": None, "driver": None}
HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">&amp; 'quoted' <!--"

# Part of the highest possible speed, at large sizes, and seconds that the smallest launch takes.
HISTOGRAM = {"global-atomic": (0.0033, 3e-6), "shared": (0.022, 4e-6), "shared-two-at-once": (0.041, 4e-6),
             "private-copies": (0.83, 3.2e-6), "cub (NVIDIA's library)": (0.34, 9e-6)}
MATMUL = {"naive": (0.11, 2.4e-6), "tiled": (0.17, 2.6e-6), "register-tiles": (0.61, 3e-6), "asynchronous": (0.74, 3e-6),
          "tensor-cores": (2.2, 3e-6), "cublas": (0.85, 4e-6)}


def timing(seconds, noise, samples=40):
    values = sorted(seconds * (1 + random.gauss(0, noise)) for _ in range(samples))
    return {"median_s": values[samples // 2], "low_s": values[samples // 2 - 6], "high_s": values[samples // 2 + 6],
            "min_s": values[0], "samples": samples, "stop": "converged", "samples_s": values,
            "clocks_hz": [1.98e9] * samples}


def row(lesson, variant, size, options, traffic, process=0, kind="kernel"):
    return {"id": f"{lesson} {variant} size={size}", "lesson": lesson, "variant": variant, "kind": kind, "size": size,
            "seed": 42, "options": options, "block_size": None, "process": process, "position": 0, "expected": "right",
            "observed": "right", "valid": True, "explanation": None, **traffic, "cold": None, "steady": None,
            "to_device": None, "to_host": None, "cpu": None, "energy": None, "counts": {}, "warnings": []}


def timed(lesson, variants, sizes, options, traffic_of, processes=3, slower=None):
    rows = []
    for process in range(processes):
        for size in sizes:
            traffic = traffic_of(size)
            bytes_moved = traffic["bytes_read"] + traffic["bytes_written"]
            # Up to 40 MB stay in the L2 cache, which is three times as fast as the memory.
            least_s = max(bytes_moved / (13e12 if bytes_moved < 40e6 else 4.5e12), traffic["operations"] / 61e12)
            for variant, (part, launch) in variants.items():
                entry = row(lesson, variant, size, options, traffic, process, "library" if "cu" in variant[:2] else "kernel")
                seconds = (launch + least_s / part) * (slower or {}).get((variant, size), 1)
                entry["cold"] = timing(seconds * random.gauss(1, 0.003), 0.008)
                entry["steady"] = timing(seconds * 0.93, 0.004)
                entry["to_device"] = timing(8e-6 + traffic["bytes_read"] / 55e9, 0.01)
                entry["to_host"] = timing(7e-6 + traffic["bytes_written"] / 55e9, 0.01)
                entry["energy"] = {"joules_per_run": seconds * 420 * random.gauss(1, 0.01), "watts": 420, "seconds": 0.5}
                rows.append(entry)
            for reference, per_s in {"reference": 4.2e9, "reference, OpenMP": 69e9}.items():
                entry = row(lesson, reference, size, options, traffic, process, "cpu")
                entry["cpu"] = timing(2e-7 + (bytes_moved + traffic["operations"]) / per_s, 0.03)
                rows.append(entry)
    return rows


def histogram_traffic(size):
    return {"bytes_read": 4.0 * size, "bytes_written": 1024.0, "operations": 0.0, "limited_by": "memory"}


def matmul_traffic(size):
    side = size ** 0.5
    return {"bytes_read": 8.0 * size, "bytes_written": 4.0 * size, "operations": 2 * side ** 3, "limited_by": "operations"}


def document(rows, device=GPU, **more):
    return {"schema": "gpulab.bench", "schema_version": "1.0.0",
            "tool": {"name": "gpulab", "version": "0.1.0", "revision": "363597c0ffee", "compiler": "GNU 12.2.0",
                     "build_type": "Release", "cuda_toolkit": "13.0"},
            "run": {"started_utc": "2026-11-22T08:30:00Z", "argv": ["gpulab", "bench", "histogram", "matmul"]},
            "host": {"hostname": "node7", "cpu": "Intel Xeon Platinum 8480C", "cores": 16}, "device": device,
            "plan": {"processes": 3, "order_seed": 1, "time_budget_s": None, "rows": len(rows)},
            "complete": True, "stopped_by": None, "remarks": [], "claims": [],
            "ceilings": [] if device is SIMULATOR else [{"what": "copy", "per_s": 4.5e12},
                                                       {"what": "multiply-add", "per_s": 61e12}],
            "exit_code": 0, "results": rows, **more}


def sweep(seed=1, slower=None):
    """Two lessons over sizes, one of them with two options."""
    random.seed(seed)
    sizes = [2 ** power for power in range(16, 29, 2)]
    rows = []
    for distribution in ("uniform", "sorted"):
        rows += timed("shared-histogram", HISTOGRAM, sizes, {"distribution": distribution}, histogram_traffic, slower=slower)
    rows += timed("matmul", MATMUL, [2 ** power for power in range(16, 25, 2)], {}, matmul_traffic, slower=slower)
    random.shuffle(rows)
    return document(rows)


def slower_sweep():
    """The same again: two variants are slower now, one is faster."""
    return sweep(2, {("private-copies", 2 ** 28): 1.06, ("tiled", 2 ** 24): 1.31, ("shared", 2 ** 26): 0.9})


def simulated():
    rows = []
    for number, (variant, sectors, wavefronts, atomics) in enumerate(
            [("global-atomic", 4096, 0, 900), ("shared", 5200, 70000, 42), ("private-copies", 4200, 21000, 0)]):
        for size in (4096, 16384):
            entry = row("shared-histogram", variant, size, {"distribution": "uniform"}, histogram_traffic(size))
            entry["counts"] = {"global_load_sectors": sectors * size // 4096, "global_load_requests": size // 32,
                             "global_load_active_lanes": size, "shared_atomic_wavefronts": wavefronts,
                             "global_atomic_lanes_at_one_address": atomics, "fiber_switches": 1000 * number}
            rows.append(entry)
    return document(rows, SIMULATOR)


def hostile():
    """An incomplete document with an invalid row, whose texts contain markup."""
    result = sweep(3)
    for entry in result["results"]:
        if entry["variant"] == "shared":
            entry["variant"] = HOSTILE
    result["results"][0].update(valid=False, observed="wrong", explanation="3 of 256 bins differ " + HOSTILE)
    result["results"][1]["warnings"] = ["the clock fell by 6 % while it was measured " + HOSTILE]
    result.update(complete=False, stopped_by="SIGINT " + HOSTILE, remarks=["a remark " + HOSTILE])
    return result


def many_variants():
    """More variants than there are colours, with long names, at one size."""
    random.seed(4)
    variants = {f"a-variant-with-a-rather-long-name-{i}": (0.05 * i, 3e-6) for i in range(1, 19)}
    return document(timed("reduction", variants, [2 ** 20, 2 ** 24], {"distribution": "uniform"},
                          lambda size: {**histogram_traffic(size), "operations": float(size)}, processes=1))


def write(path, content):
    with open(path, "w") as file:
        json.dump(content, file)
