#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/finding.hpp"
#include "source/code.hpp"
#include "source/shared_arrays.hpp"

namespace gpulab::source {

// The simulator compiles kernels for this machine's CPU, so the C++ compiler accepts what no GPU has:
// functions of the host and the system, code that runs at load time, attributes that switch off
// instrumentation. All of this is refused here, so that a kernel file can only do what a GPU allows.

// Part of the cache key. Raise it with every change of what is refused.
constexpr const char* rules_of_device_code = "device code 6";

struct Refusal {
  int line = 0;  // 0 if unknown
  std::string why;
  DefectKind kind = DefectKind::does_not_compile;
};

// Returns why the text of a kernel file is refused. Expects the preprocessed text, if preprocessing changes
// it.
std::optional<Refusal> refused_in_text(const Code& code);

// Returns why a name is refused even in a program's host code: one that the simulator reserves, or one that
// switches off its checks. Also refuses a kernel that returns a value. Expects the text before preprocessing,
// so every branch of an #if is searched.
std::optional<Refusal> refused_name(const Code& code);

// Refuses a file with a main(), which is a whole program and not a kernel file.
std::optional<Refusal> refused_main(const Code& code);

// Refuses an #include of a file by its path, with or without a GPU.
std::optional<Refusal> refused_include(const Code& code);

// Returns whether the text has conditions, macros or words that only a preprocessor can see.
bool needs_preprocessing(const Code& code);

struct OwnText {
  std::string text;
  std::optional<Refusal> refusal;
};
// Returns the file's own part of a preprocessed text, with each line at its original number. Drops the text
// of the files `others`, and refuses text of any further file, whether it is included or named by #line. The
// result is checked and then compiled in every mode, so that no #if can tell one mode from another.
OwnText own_text_in(const std::string& preprocessed, const std::string& file,
                    const std::set<std::string>& others);

// Returns why the parts of a preprocessed program that come from these files are refused: for reserved names
// that macros put together, and for assembly.
std::optional<Refusal> refused_in_program(const std::string& preprocessed,
                                          const std::set<std::string>& files);

// Returns why a word may not occur in device code; empty if it may.
std::string reason_to_refuse(std::string_view word);

// Returns what to write for a warp function that CUDA has removed, such as __shfl_down; empty for others.
std::string advice_for_removed(std::string_view name);

// Returns whether the word begins assembly.
bool is_assembly(std::string_view word);

// Returns whether a compiler barrier, asm volatile("" ::: "memory") or the like, begins there.
bool is_empty_assembly(const Code& code, std::size_t at);

// Returns the text with every alignas(...) moved before the specifiers of its declaration: nvcc takes it
// anywhere among them (__shared__ alignas(16) float a[8]), C++ only first.
std::string with_alignment_first(const Code& code);

// Returns the first declaration in a namespace or class that is not device code: a function without
// __device__ or __global__, a variable without __device__, __constant__ or const.
std::optional<Refusal> refused_declaration(const Code& code);

// Facts of a kernel file that the simulator needs before it compiles it.
struct SourceScan {
  std::vector<std::string> dynamic_shared;  // symbols declared as extern __shared__ T name[]
  std::vector<std::string> kernels;         // names declared __global__, without namespaces
  std::string why_refused;                  // why the simulator cannot run it; empty if it can
  int refused_line = 0;
};

SourceScan scan_source(const Code& code, SharedMacros macros = {});

// Thrown for code that a GPU may run but the simulator cannot, since it lacks a feature.
struct NotOffered : CompileError {
  using CompileError::CompileError;
};

// A CUDA feature that the simulator lacks, and the first line that uses it.
struct UnsupportedUse {
  int line = 0;
  std::string what;  // "inline PTX (asm)"
};

// Returns the missing features that kernels of a program use, in the order of lines.
std::vector<UnsupportedUse> unsupported_uses(const Code& code);

}  // namespace gpulab::source
