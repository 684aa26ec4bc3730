"""Facts about single kernels of GPUVerify's suites: values that make a label true, and why a label differs from a run."""

# kernel -> values of its parameters
VALUES = {
    "function_pointers/basic_assignment_pass": {"i": 1},
    "function_pointers/basic_statement": {"i": 1},
    "misc/fail/miscfail3": {"offset": 1},
    "misc/fail/miscfail4": {"offset": 1},
    "param_values/value_causing_race": {"x": 185},
    "param_values/value_in_assert": {"c": 48},
    "CUDA50/2_Graphics/simpleGL/simpleGL": {"width": 256},
}

# kernel -> why it shows no defect although the label says so, or why the finding is a defect although the label denies it
WARPS = "relies on warps in lockstep (--warp-sync), which is a race since Volta"
LABELS = {
    "CUDA50/3_Imaging/dct8x8/CUDAkernel2DCT": WARPS,
    "CUDA50/3_Imaging/dct8x8/CUDAkernel2IDCT": WARPS,
    "CUDA50/6_Advanced/scalarProd/scalarProd": WARPS,
    "CUDA50/6_Advanced/segmentationTreeThrust/_removeCycles": "reads and writes one array of successors without order",
    "CUDA50/0_Simple/simpleAssert/simpleAssert": "an assertion, which is not a defect of the classes judged here; it stops the kernel",
    "globalarray/fail": "the host could have changed the constants; here they are as written",
    "misc/fail/miscfail2": "the label is about an invariant that the proof lacks, not about the kernel",
    "misc/fail/miscfail7": "the pointer could be null; here it is not",
    "warpsync/2d": WARPS,
    "warpsync/intragroup_scan": WARPS,
    "warpsync/scan_warp": WARPS,
    "warpsync/shuffle": WARPS,
}
