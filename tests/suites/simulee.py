#!/usr/bin/env python3
"""Writes the manifest of Simulee's collection: kernels of Kaldi, ArrayFire, cudaSift, thundersvm ... with real defects.

usage: simulee.py CHECKOUT WORK

CHECKOUT is a clone of cogumbreiro/Simulee, whose authors cut the kernels out of the projects. Parameters are ours, chosen to
reach the place that was repaired. The repairs are there as LLVM text only; ours repair the source where it is clear how.
"""
import pathlib
import re
import sys

import adapted_text
import kernel_parameters

END_OF_ROUND = ("out_idx[j * gridDim.x + blockIdx.x] = s_idx[0]; }", "out_idx[j * gridDim.x + blockIdx.x] = s_idx[0]; } __syncthreads();")
DISTANCES = ("s_dist[tid] = max_dist; if (tid < feat_len", "s_dist[tid] = max_dist - tid; if (tid < feat_len")
MOVED_BARRIER = ("s_idx[sid] = s_idx[sid + i]; } __syncthreads(); }", "s_idx[sid] = s_idx[sid + i]; } } __syncthreads();")
WRITABLE = [("const unsigned* in_idx", "unsigned* in_idx"), ("const int* in_dist", "int* in_dist")]
ALL_LANES = [(f"*mysh += mysh[{n}];", f"{{ float other = mysh[{n}]; __syncwarp(); *mysh += other; __syncwarp(); }}") for n in (32, 16, 8, 4, 2, 1)]
SAME_DISTANCE = "all distances are equal, so no store that races is run; with others it is found (next row)"
MATRIX = {"rows": 5, "cols": 6, "dmat_cols": 6, "dmat_rows": 5, "d_out_rows": 5, "d_out_cols": 6, "d_in_cols": 6, "d_in_rows": 5,
          "mat2_row_stride": 6, "mat2_col_stride": 1, "d_in_stride": 6}
SVM = {"ws_size": 64, "row_len": 1, "Cp": 1, "Cn": 1, "C": 1, "max_t_iter": 3, "eps": 0}


def case(name, file, kernel, block, swaps=(), values=None, expect=True, explained=None, grid=(1,), **more):
    return {"name": name, "source": file, "kernel": kernel, "block": list(block), "grid": list(grid), "swaps": list(swaps),
            "values": values or {}, "expect": ["defect"] if expect else [],
            "explained": {"defect": explained} if explained else {}, **more}


def right_case(*given, **more):
    return case(*given, expect=False, **more)


def arrayfire():
    folder = "arrayfire-repair/"
    matcher = {"feat_len": 6, "max_dist": 1000}
    yield case("Descriptor1", folder + "Descriptor1.cu", "computeDescriptor", (32, 4))
    yield right_case("Descriptor1 one row of threads", folder + "Descriptor1.cu", "computeDescriptor", (32, 1))
    yield case("JacobiSVD", folder + "JacobiSVD.cu", "JacobiSVD", (16, 16), [("s_V[16*81]", "s_V[1]"), ("s_V[tid_y * 81", "s_S[tid_y * 81")])
    for name in ("hamming1", "hamming2"):
        kernel = "hamming_matcher_unroll" if name == "hamming1" else "hamming_matcher"
        repaired = ("s_idx[0]; } }", "s_idx[0]; } __syncthreads(); }")
        yield case(name, f"{folder}{name}.cu", kernel, (256,), values=matcher)
        yield right_case(f"{name} repaired", f"{folder}{name}.cu", kernel, (256,), [repaired], values=matcher)
    for name, kernel in (("hamming3", "hamming_matcher"), ("hamming3_bak", "hamming_matcher"), ("hamming4", "hamming_matcher_unroll")):
        yield case(name, f"{folder}{name}.cu", kernel, (256,), values=matcher, explained=SAME_DISTANCE)
        yield case(f"{name} other distances", f"{folder}{name}.cu", kernel, (256,), [DISTANCES], values=matcher)
    yield case("hamming5", folder + "hamming5.cu", "hamming_matcher_unroll", (256,), values=matcher)
    harris = [("const unsigned total_feat", "unsigned total_feat"), ("const unsigned block_size", "unsigned block_size")]
    yield case("harris_response", folder + "harris_response.cu", "harris_response", (16, 16), harris, fill=20)
    yield right_case("harris_response repaired", folder + "harris_response.cu", "harris_response", (16, 16),
                harris + [("data[idx] = val;", "__syncthreads(); data[idx] = val;")], fill=20)
    yield case("reduce", folder + "reduce.cu", "warp_reduce", (32,))
    yield right_case("reduce repaired", folder + "reduce.cu", "warp_reduce", (32,), [("s_ptr_vol[0] = tmp; }", "s_ptr_vol[0] = tmp; } __syncwarp();"),
                                                                       ("double tmp = *s_ptr;", "double tmp = 0;")])
    reduce1 = [("__device__ void warp_reduce(int *s_ptr, uint *s_idx)", "__global__ void warp_reduce(int *s_ptr, unsigned *s_idx)")]
    yield case("reduce1", folder + "reduce1.cu", "warp_reduce", (32,), reduce1)
    yield right_case("reduce1 repaired", folder + "reduce1.cu", "warp_reduce", (32,), reduce1 + [("s_idx[tidx] = val2; }", "s_idx[tidx] = val2; } __syncwarp();")])
    yield case("reducebd", folder + "reducebd.cpp", "warp_reduce", (32,))
    scan = [("#define DIMY 1", "#define DIMY 8"), ("uint start", "int start"), ("uint", "unsigned")]
    values = {"lim": 3, "blocks_x": 1, "blocks_y": 1, "blocks_dim": 1}
    yield case("scan_dim", folder + "scan_dim.hpp", "scan_dim_kernel", (16, 8), scan, values)
    yield right_case("scan_dim repaired", folder + "scan_dim.hpp", "scan_dim_kernel", (16, 8),
                scan + [("val = val + s_tmp[tidx];", "val = val + s_tmp[tidx]; __syncthreads();")], values)
    small = {"nfeat": 16, "nelem": 16, "max_dist": 1000}
    yield case("select_matches", folder + "select_matches.cu", "select_matches", (16, 16), values=small)
    yield right_case("select_matches repaired", folder + "select_matches.cu", "select_matches", (16, 16), [MOVED_BARRIER], values=small)
    yield case("select_matches1", folder + "select_matches1.cu", "select_matches", (16, 16), WRITABLE, values=small)
    yield right_case("select_matches1 repaired", folder + "select_matches1.cu", "select_matches", (16, 16), [*WRITABLE, MOVED_BARRIER], values=small)
    nearest = "arrayfire/arrayfire-Fix-syncthreads-in-cuda-nearest-neighbour.cu"
    yield case("nearest_neighbour", nearest, "select_matches", (16, 16), values=small)
    yield right_case("nearest_neighbour repaired", nearest, "select_matches", (16, 16), [MOVED_BARRIER], values=small)


def kaldi():
    file = "kaldi-new-bug/new-func.cu"
    strides = {"_copy_low_upp": ["stride"], "_copy_upp_low": ["stride"], "_add_diag_vec_mat": ["stride"], "_copy_from_tp": ["dmat_stride"],
               "_copy_from_mat": ["d_out_stride"], "_splice": ["d_out_stride"]}
    for kernel, names in strides.items():
        # The inputs differ from element to element, so that a race stores different values.
        for stride, is_defect in ((3, True), (8, False)):
            given = {**MATRIX, **{name: stride for name in names}}
            name = f"kaldi {kernel} stride {stride}"
            yield case(name, file, kernel, (8, 8), values=given, expect=is_defect, fill="index")
    trace = {"dA_rows": 16, "dA_cols": 16, "dA_stride": 16, "B_stride": 16}
    repaired = ("ssum[tid] += ssum[tid + shift]; } }", "float other = ssum[tid + shift]; __syncwarp(); ssum[tid] += other; __syncwarp(); } }")
    yield case("kaldi _trace_mat_mat_trans", file, "_trace_mat_mat_trans", (16, 16), values=trace)
    yield right_case("kaldi _trace_mat_mat_trans repaired", file, "_trace_mat_mat_trans", (16, 16), [repaired], values=trace)
    diag = {"v_dim": 60, "M_cols": 10, "M_row_stride": 10, "M_col_stride": 1, "N_row_stride": 60, "N_col_stride": 1}
    file = "kaldi-repair/_add_diag_mat.cu"
    yield case("kaldi _add_diag_mat_mat groups of 5", file, "_add_diag_mat_mat", (256,), values=diag)
    yield right_case("kaldi _add_diag_mat_mat groups of 4", file, "_add_diag_mat_mat", (256,),
                [("threads_per_element = 5", "threads_per_element = 4")], values={**diag, "v_dim": 64})


def others():
    yield case("thundersvm nu_smo_solve_kernel", "thundersvm-repair/smo_kernel.cu", "nu_smo_solve_kernel", (64,), [("INFINITY", "1e30f")], values=SVM, fill=1, max_accesses=200000)
    yield case("thundersvm c_smo_solve_kernel", "thundersvm-new-bug/new-fun.cu", "c_smo_solve_kernel", (64,), [("INFINITY", "1e30f")],
               values=SVM, fill=1, max_accesses=200000)  # every thread stores the number of iterations: a note
    file = "cuda-convnet2-new-bug/new-func.cu"
    uint = ("uint", "unsigned")
    yield case("cuda-convnet2 kDotProduct_r", file, "kDotProduct_r", (512,), [uint], {"numElements": 2000})
    yield right_case("cuda-convnet2 kDotProduct_r repaired", file, "kDotProduct_r", (512,), [uint, *ALL_LANES], {"numElements": 2000})
    yield right_case("cuda-convnet2 kTile", file, "kTile", (128,), [uint], {"srcWidth": 5, "srcHeight": 5, "tgtWidth": 20, "tgtHeight": 20})
    match = {"numPts1": 16, "corrWidth": 32, "siftSize": 1}
    yield case("cudaSift FindMaxCorr", "cudaSift-new-bug/new-func.cu", "FindMaxCorr", (16, 16), values=match, fill="index")
    yield right_case("cudaSift FindMaxCorr one place each", "cudaSift-new-bug/new-func.cu", "FindMaxCorr", (16, 16),
                [("if (tx<8) { float val = maxScore", "if (tx<len) { float val = maxScore"), *((f"if (tx=={n}) sift1[p1]", f"if (tx=={n}) sift1[p1 + {16 * n}]") for n in range(6, 11))],
                match, fill="index")
    yield right_case("cuda-cnn g_getCost_3, one barrier too many", "cuda-cnn-new-bug/new-func.cu", "g_getCost_3", (32,), values={"wlen": 100})
    yield right_case("cudamat kMinColumnwise, one barrier too many", "cudamat-new-bug/new-func.cu", "kMinColumnwise", (32,),
                values={"width": 4, "height": 64}, grid=(4,))
    yield right_case("cudpp sparseMatrixVectorSetFlags, one barrier too many", "cudpp-new-bug/new-func.cu", "sparseMatrixVectorSetFlags", (64,),
                values={"numRows": 500})
    gklee = "gklee-test-repair/"
    yield case("gklee barrier1", gklee + "barrier1.cu", "dl", (32,), grid=(2,))
    yield right_case("gklee barrier2", gklee + "barrier2.cu", "dl", (32,), grid=(2,))
    yield case("gklee barrier3", gklee + "barrier3.cu", "dl", (64,))
    yield case("gklee conel", gklee + "conel.cu", "colonel", (128,), grid=(2,))
    yield right_case("gklee conel repaired", gklee + "conel.cu", "colonel", (128,), [("in[tidx%N]++;", "atomicAdd(&in[tidx%N], 1);")], grid=(2,))
    yield case("gunrock Join", "gunrock/gunrock.cu", "Join", (64,), values={"edges": 1, "iter": 0}, arrays={"pos": [5, 9, 12]})
    yield case("gunrock Collect", "gunrock/gunrock1.cu", "Collect", (64,), values={"edges": 1, "iter": 1},
               arrays={"pos": [2, 6, 12], "counts": [3], "flag": [1 + i for i in range(64)]})


def swapped(text, old, new):
    """Replaces old by new, whatever the white space between its words."""
    pattern = r"\s*".join(re.escape(word) for word in re.findall(r"\w+|[^\w\s]", old))
    pattern = (r"\b" if old[0].isalnum() else "") + pattern + (r"\b" if old[-1].isalnum() else "")
    replaced, count = re.subn(pattern, lambda _: new, text)
    if count == 0:
        raise ValueError(f"'{old}' is not there")
    return replaced


def finished(case, checkout, work):
    text = adapted_text.device_part((checkout / case.pop("source")).read_text(errors="replace"))
    for old, new in case.pop("swaps"):
        text = swapped(text, old, new)
    file_name = re.sub(r"\W+", "_", case["name"]) + ".cu"
    arrays, fill, values = case.pop("arrays", {}), case.pop("fill", 0), case.pop("values")
    arguments = kernel_parameters.arguments(text, case["kernel"], {"": 1, **values}, 1 << 18, fill)
    for argument, declared in zip(arguments, kernel_parameters.kernels(text)[case["kernel"]]):
        if kernel_parameters.name_of(declared) in arrays:
            argument["values"] = arrays[kernel_parameters.name_of(declared)]
    return {**case, "file": adapted_text.write(work, file_name, text), "arguments": arguments}


def main(checkout, work):
    cases = [finished(each, checkout, work) for make in (arrayfire, kaldi, others) for each in make()]
    adapted_text.write_manifest(work, {
        "suite": "Simulee's real defects and repairs",
        "about": "parameters and launches of ours, which reach the place that was repaired",
        "judged": {"defect": ["race", "divergence", "bounds"]},
        "cases": cases,
    })


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
