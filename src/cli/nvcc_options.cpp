#include <algorithm>
#include <optional>
#include <string_view>

#include "cli/options.hpp"

namespace gpulab::cli {
namespace {

// An option of nvcc. CLI11 reads the letters behind one hyphen as options of their own, so they are
// translated before it sees them.
struct NvccOption {
  std::initializer_list<std::string_view> names;
  bool has_value;
  std::string_view here = "";  // the option of run that stands for it
  std::string_view why = "";   // says why it has no effect on the simulated device; empty if nothing is lost
  bool is_for_gpus = true;     // nvcc gets it, with --device cuda
};

constexpr std::string_view own_choice = "gpulab chooses the host compiler's options";

const NvccOption nvcc_options[] = {
    {{"-std", "--std"}, true, "--std="},
    {{"-isystem", "--system-include", "--include-path"}, true, "-I"},
    {{"--define-macro"}, true, "-D"},
    {{"--library"}, true, "-l"},
    {{"--library-path"}, true, "-L"},
    {{"-o", "--output-file"}, true, "", "the program runs at once, and no file is written", false},
    {{"-O0", "-O1", "-O2", "-O3", "-g", "-G", "--device-debug", "-lineinfo", "--generate-line-info"}, false},
    {{"-O", "--optimize", "-x", "--x", "-t", "--threads", "-diag-suppress", "--diag-suppress"}, true},
    {{"-w", "-m64", "-Wno-deprecated-gpu-targets", "-dlto", "-restrict", "--restrict"}, false},
    {{"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", "-extended-lambda", "--extended-lambda",
      "-expt-extended-lambda", "--expt-extended-lambda"},
     false},
    {{"-rdc", "--relocatable-device-code", "-cudart", "--cudart"}, true},
    {{"-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code"},
     true,
     "",
     "the simulated device is sm_80"},
    {{"-Xcompiler", "--compiler-options", "-ccbin", "--compiler-bindir", "-Xlinker", "--linker-options"},
     true,
     "",
     own_choice},
    {{"-Xptxas", "--ptxas-options", "-maxrregcount", "--maxrregcount"}, true, "", "it has no registers"},
    {{"-use_fast_math", "--use_fast_math"}, false, "", "its results are those without it"},
    {{"-ftz", "--ftz", "-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt", "-fmad", "--fmad"},
     true,
     "",
     "its results are those without it"},
    {{"-default-stream", "--default-stream"}, true, "", "its default stream is the legacy one"},
};

const NvccOption* find(std::string_view name) {
  const auto has_name = [&](const NvccOption& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  };
  const auto found = std::ranges::find_if(nvcc_options, has_name);
  return found == std::end(nvcc_options) ? nullptr : &*found;
}

bool is_lost(const NvccOption& option, const std::string& value) {
  if (option.why.empty() || value == "-fopenmp") return false;
  return value.find("80") == std::string::npos || option.names.begin()[0] != "-arch";
}

}  // namespace

NvccWords translated_from_nvcc(const std::vector<std::string>& typed) {
  NvccWords words;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const std::size_t equals = typed[i].find('=');
    const NvccOption* const option = find(typed[i].substr(0, equals));
    if (!option || (equals == std::string::npos && option->has_value && i + 1 == typed.size())) {
      words.of_run.push_back(typed[i]);
      continue;
    }
    const std::string name = typed[i].substr(0, equals);
    std::string value = equals == std::string::npos ? "" : typed[i].substr(equals + 1), shown = typed[i];
    if (equals == std::string::npos && option->has_value) value = typed[++i], shown += " " + value;
    if (!option->here.empty()) {
      words.of_run.push_back(std::string(option->here) + value);
      continue;
    }
    if (option->is_for_gpus) words.of_nvcc.push_back(name + (option->has_value ? "=" + value : ""));
    if (is_lost(*option, value))
      words.lost += (words.lost.empty() ? "" : ", ") + shown + " (" + std::string(option->why) + ")";
  }
  return words;
}

}  // namespace gpulab::cli
