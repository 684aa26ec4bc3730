#include <algorithm>
#include <sstream>
#include <string_view>

#include "cli/options.hpp"

namespace gpulab::cli {
namespace {

// Options of nvcc. CLI11 takes each letter behind one hyphen for an option, so they are translated before.
struct NvccOption {
  std::string_view names;  // with blanks around each
  bool has_value;
  std::string_view here = "";  // the option of run that stands for it
  std::string_view why = "";   // says why it has no effect on the simulated device; empty if nothing is lost
  bool is_for_gpus = true;     // nvcc gets it, with --device cuda
};

constexpr NvccOption nvcc_options[] = {
    {" -std --std ", true, "--std="},
    {" -isystem --system-include --include-path ", true, "-I"},
    {" --define-macro ", true, "-D"},
    {" --undefine-macro ", true, "-U"},
    {" -include ", true, "--pre-include="},
    {" --library ", true, "-l"},
    {" --library-path ", true, "-L"},
    {" -o --output-file ", true, "", "the program runs at once, and no file is written", false},
    {" -c --compile -dc --device-c -dw --device-w -dlink --device-link -ptx --ptx -cubin --cubin -fatbin --fatbin ",
     false, "", "the program runs at once, and no file is written", false},
    {" -O0 -O1 -O2 -O3 -g -G --device-debug -lineinfo --generate-line-info -w -m64 -dlto -restrict ", false},
    {" -expt-relaxed-constexpr --expt-relaxed-constexpr -extended-lambda --extended-lambda ", false},
    {" -expt-extended-lambda --expt-extended-lambda -Wno-deprecated-gpu-targets ", false},
    {" -MMD -MD -MP --generate-dependencies-with-compile -keep --keep -v --verbose -res-usage --resource-usage ",
     false},
    {" -forward-unknown-to-host-compiler --forward-unknown-to-host-compiler ", false},
    {" -O --optimize -x --x -t --threads -rdc --relocatable-device-code -cudart -diag-suppress ", true},
    {" -MF -MT --dependency-output -keep-dir --keep-dir -Werror --Werror ", true},
    {" -arch --gpu-architecture -code -gencode --generate-code ", true, "", "the simulated device is sm_80"},
    {" -Xcompiler -compiler-options --compiler-options -ccbin -Xlinker ", true, "",
     "the host compiler's options are fixed"},
    {" -Xptxas -ptxas-options --ptxas-options -maxrregcount --maxrregcount ", true, "",
     "it has no registers"},
    {" -use_fast_math --use_fast_math ", false, "", "results are those without it"},
    {" -ftz -prec-div -prec-sqrt -fmad --fmad ", true, "", "results are those without it"},
    {" -default-stream --default-stream ", true, "", "the default stream is the legacy one"},
};

const NvccOption* find(const std::string& name) {
  const auto* const found = std::ranges::find_if(nvcc_options, [&](const NvccOption& option) {
    return option.names.find(" " + name + " ") != std::string_view::npos;
  });
  return found == std::end(nvcc_options) ? nullptr : found;
}

// Returns whether nothing is lost without an option for the host's compiler: "-O3", "-fopenmp".
bool is_done_by_host(std::string_view option) {
  constexpr std::string_view begins[] = {"-O", "-g", "-W", "-fopenmp", "-fPIC", "-std=", "-m64", "-pthread"};
  return std::ranges::any_of(begins, [&](std::string_view begin) { return option.starts_with(begin); });
}

// Returns whether the simulated device does what the option asks for.
bool is_done(const NvccOption& option, const std::string& value) {
  if (option.names.starts_with(" -arch")) return value.ends_with("80");
  if (!option.names.starts_with(" -Xcompiler")) return option.why.empty();
  std::istringstream words(value);  // "-O3,-fopenmp"
  for (std::string word; std::getline(words, word, ',');)
    if (!is_done_by_host(word)) return false;
  return true;
}

}  // namespace

NvccWords translated_from_nvcc(const std::vector<std::string>& typed) {
  NvccWords words;
  const bool forwards = std::ranges::any_of(
      typed, [](const std::string& word) { return word.ends_with("-forward-unknown-to-host-compiler"); });
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const std::size_t equals = std::min(typed[i].find('='), typed[i].size());
    const std::string name = typed[i].substr(0, equals);
    const NvccOption* const option = find(name);
    const bool is_joined = equals < typed[i].size();
    const bool is_of_host =
        name.starts_with("-W") || name.starts_with("-f") || name.starts_with("-m") || name == "-pthread";
    if (!option && forwards && is_of_host) {
      words.of_nvcc.push_back(typed[i]);
      continue;
    }
    if (!option || (option->has_value && !is_joined && i + 1 == typed.size())) {
      words.of_run.push_back(typed[i]);
      continue;
    }
    std::string value = is_joined ? typed[i].substr(equals + 1) : "", shown = typed[i];
    if (option->has_value && !is_joined) value = typed[++i], shown += " " + value;
    if (!option->here.empty())
      words.of_run.push_back(std::string(option->here) + value);
    else if (option->is_for_gpus)
      words.of_nvcc.push_back(name + (option->has_value ? "=" + value : ""));
    if (!is_done(*option, value))
      words.lost += (words.lost.empty() ? "" : ", ") + shown + " (" + std::string(option->why) + ")";
  }
  return words;
}

}  // namespace gpulab::cli
