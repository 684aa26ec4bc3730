#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/code.hpp"

namespace gpulab::source {

// The simulator runs kernels as code of this machine's CPU, for which a C++ compiler accepts more than a
// GPU's does: functions of the host and of the system, code that runs when it is loaded, attributes that
// switch the watching off. All that is refused here, so that a kernel file can do what a GPU lets it do.

// Part of the key of what is compiled: to be raised with every change of what is refused.
constexpr const char* rules_of_device_code = "device code 5";

struct Refusal {
  int line = 0;  // 0 when it cannot be told
  std::string why;
};

// Of the text, before it is compiled. It must have been preprocessed where that changes it.
std::optional<Refusal> refused_in_text(const Code& code);

// Of any text as it was written, a whole program's host code included: a name of the simulator's own, also in
// a condition, and what switches the watching off.
std::optional<Refusal> refused_name(const Code& code);

// Of a whole program, whose host's part may have much that is refused: that it is one.
std::optional<Refusal> refused_main(const Code& code);

// Whether the text has conditions, macros or words that only a preprocessor can see.
bool needs_preprocessing(const Code& code);

struct JudgedText {
  std::string text;
  std::optional<Refusal> refusal;
};
// What a preprocessor has left of the file, each line where it stood, without what came from the others. Any
// other file, by an #include or as the one that lines are said to be of, is refused. This is what is judged,
// and what is compiled in every mode, so that no condition can tell one compilation from another.
JudgedText in_its_lines(const std::string& preprocessed, const std::string& file,
                        const std::set<std::string>& others);

// Of a whole program as a preprocessor leaves it, in the parts that come from these files: names that were
// put together out of parts, and assembly.
std::optional<Refusal> refused_in_program(const std::string& preprocessed,
                                          const std::set<std::string>& files);

// Why a word may stand nowhere in device code; empty when there is nothing against it.
std::string objection_to(std::string_view word);

// Whether asm volatile("" ::: "memory") or its like begins there, which keeps a compiler from moving
// accesses, and is nothing else.
bool is_empty_assembly(const Code& code, std::size_t at);

// The first declaration, at the level of namespaces or of a class, that is no device code: a function without
// __device__ or __global__, a variable without __device__, __constant__ or const.
std::optional<Refusal> refused_declaration(const Code& code);

// What the simulator must know of a kernel file before it compiles it.
struct SourceScan {
  std::vector<std::string> dynamic_shared;  // symbols declared as extern __shared__ T name[]
  std::vector<std::string> kernels;         // names declared __global__, without namespaces
  std::string refused;                      // why the simulator cannot run it; empty if it can
  int refused_line = 0;
};

SourceScan scan_source(const Code& code);

// Something of CUDA that the simulator does not have, and the first line that uses it.
struct UnsupportedUse {
  int line = 0;
  std::string what;  // "inline PTX (asm)"
};

// What kernels of a whole program use, in the order of the lines.
std::vector<UnsupportedUse> unsupported_uses(const Code& code);

}  // namespace gpulab::source
