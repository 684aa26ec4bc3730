#pragma once

#include <regex>

#include "test.hpp"

// The functions of CUDA that a kernel file may use, and kernels that use them.

namespace gpulab {

// "float fminf(float, float)"
struct Prototype {
  std::string result, name;
  std::vector<std::string> parameters;

  std::string parameter_list() const {
    std::string list;
    for (const std::string& parameter : parameters) list += (list.empty() ? "" : ", ") + parameter;
    return list;
  }
  std::string text() const { return result + " " + name + "(" + parameter_list() + ")"; }
};

inline std::vector<Prototype> cuda_names() {
  static const std::regex format(R"(^(.*?)\s*(\w+)\(([^()]*)\)$)");
  std::ifstream file(source_file("tests/simulator/compile/cuda_names.txt"));
  std::vector<Prototype> prototypes;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (!std::regex_match(line, match, format)) continue;
    Prototype prototype{match[1], match[2], {}};
    std::istringstream parameters(match[3]);
    for (std::string one; std::getline(parameters, one, ',');)
      prototype.parameters.push_back(one.substr(one.find_first_not_of(' ')));
    prototypes.push_back(prototype);
  }
  return prototypes;
}

// A row of the table in docs/cuda-names.md.
struct NamesRow {
  std::vector<std::string> patterns;  // "__clz*"
  std::string numbers;                // "exact", "library" or "fast"
};

inline std::vector<NamesRow> names_table() {
  static const std::regex row(R"(^\| (`.*`) \| (exact|library|fast) \|$)"), name("`([^`]+)`");
  std::ifstream file(source_file("docs/cuda-names.md"));
  std::vector<NamesRow> rows;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (!std::regex_match(line, match, row)) continue;
    const std::string names = match[1];
    NamesRow one{{}, match[2]};
    for (std::sregex_iterator at(names.begin(), names.end(), name), end; at != end; ++at)
      one.patterns.push_back((*at)[1]);
    rows.push_back(one);
  }
  return rows;
}

inline bool fits(const std::string& pattern, const std::string& name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

// Returns the table's entry for the name, by the longest pattern that fits.
inline std::string numbers_of(const std::vector<NamesRow>& table, const std::string& name) {
  std::string numbers;
  std::size_t longest = 0;
  for (const NamesRow& row : table)
    for (const std::string& pattern : row.patterns)
      if (fits(pattern, name) && pattern.size() >= longest) longest = pattern.size(), numbers = row.numbers;
  return numbers;
}

inline bool takes_only_numbers(const Prototype& prototype) {
  return prototype.text().find('*') == std::string::npos && prototype.result != "void";
}

// A kernel that takes the address of every function, so that each has to be there with that very type.
inline std::string kernel_with_addresses(const std::vector<Prototype>& prototypes) {
  std::string text = "#include <cuda_fp16.h>\n__global__ void addresses(void** out) {\n";
  for (std::size_t i = 0; i < prototypes.size(); ++i)
    text += "  { " + prototypes[i].result + " (*f)(" + prototypes[i].parameter_list() +
            ") = " + prototypes[i].name + "; out[" + std::to_string(i) + "] = (void*)f; }\n";
  return text + "}\n";
}

// Returns a kernel with the types of all functions and no code.
inline std::string kernel_with_types(const std::vector<Prototype>& prototypes) {
  std::string text = "__global__ void types() {\n";
  for (const Prototype& one : prototypes) {
    if (one.text().find("half") != std::string::npos && !text.starts_with("#include"))
      text = "#include <cuda_fp16.h>\n" + text;
    text += "  static_assert(sizeof(static_cast<" + one.result + " (*)(" + one.parameter_list() + ")>(" +
            one.name + ")) == 8);\n";
  }
  return text + "}\n";
}

// Returns a kernel that calls every function with many arguments: words[4 * (function * threads + thread)] is
// the result, and the words behind it are the arguments, all as bits.
inline std::string kernel_with_results(const std::vector<Prototype>& prototypes) {
  std::string text = source_text("tests/kernels/random_arguments.cuh");
  text +=
      "__global__ void results(double* words) {\n  Bits* const out = (Bits*)words;\n"
      "  const Bits thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;\n";
  for (std::size_t i = 0; i < prototypes.size(); ++i) {
    const Prototype& prototype = prototypes[i];
    text += "  { Bits* const row = out + 4 * (" + std::to_string(i) + " * threads + thread);\n";
    std::string call;
    for (std::size_t k = 0; k < prototype.parameters.size(); ++k) {
      const std::string number = std::to_string(k), type = prototype.parameters[k];
      text += "    typedef " + type + " T" + number + "; const T" + number + " x" + number + " = Argument<T" +
              number + ">::at(mixed(thread * 4 + " + number + " + 1)); row[" + std::to_string(k + 1) +
              "] = to_bits(x" + number + ");\n";
      call += (call.empty() ? "x" : ", x") + number;
    }
    text += "    row[0] = result_bits(" + prototype.name + "(" + call + ")); }\n";
  }
  return text + "}\n";
}

}  // namespace gpulab
