#pragma once

#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "source_files.hpp"

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

// What the table says of the name; of patterns that fit, the longest.
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

// The same without any code.
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

// What every function gives for many arguments: words[4 * (function * threads + thread)] is the result, what
// follows are the arguments, all as bits.
inline std::string kernel_with_results(const std::vector<Prototype>& prototypes) {
  std::string text = R"(#include <cuda_fp16.h>
typedef unsigned long long Bits;
__device__ Bits mixed(Bits x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}
template <class T> __device__ T from_bits(Bits bits) {
  T value;
  for (int i = 0; i < (int)sizeof(T); ++i) ((unsigned char*)&value)[i] = (unsigned char)(bits >> 8 * i);
  return value;
}
template <class T> __device__ Bits to_bits(T value) {
  Bits bits = 0;
  for (int i = 0; i < (int)sizeof(T); ++i) bits |= (Bits)((unsigned char*)&value)[i] << 8 * i;
  return bits;
}
// Of every NaN the same bits.
__device__ Bits result_bits(float x) { return x != x ? 0x7fffffffull : to_bits(x); }
__device__ Bits result_bits(double x) { return x != x ? 0x7fffffffffffffffull : to_bits(x); }
__device__ Bits half_bits(Bits x) { return (x & 0x7fff) > 0x7c00 ? 0x7fff : x; }
__device__ Bits result_bits(__half x) { return half_bits(to_bits(x)); }
__device__ Bits result_bits(__half2 x) { return half_bits(to_bits(x) & 0xffff) | half_bits(to_bits(x) >> 16) << 16; }
__device__ Bits result_bits(float2 x) { return result_bits(x.x) | result_bits(x.y) << 32; }
template <class T> __device__ Bits result_bits(T x) { return to_bits(x); }

// Arguments: those at the edges, and any.
__device__ const Bits integers[16] = {0, 1, 2, 31, 32, 33, 127, 255, 0x7fff, 0xffff, 0x7fffffff, 0x80000000,
  0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff};
__device__ const float floats[16] = {0.0f, 0.5f, 1.0f, 1.5f, 2.5f, 3.0f, 255.5f, 65504.0f, 65520.0f, 2147483648.0f,
  4294967296.0f, 9223372036854775808.0f, 18446744073709551616.0f, 3.4028235e38f, 1.17549435e-38f, 1.4e-45f};
__device__ const unsigned short halves[16] = {0, 1, 0x3ff, 0x400, 0x3800, 0x3c00, 0x3c01, 0x3e00, 0x4000, 0x4100,
  0x7bff, 0x7c00, 0x7e00, 0x5bff, 0x6800, 0x1400};
template <class T> struct Argument {
  static __device__ T at(Bits random) {
    if (random & 1) return from_bits<T>(integers[random >> 1 & 15]);
    return from_bits<T>(random >> 8 >> (random >> 1 & 63) % (8 * sizeof(T)));
  }
};
template <> struct Argument<float> {
  static __device__ float at(Bits random) {
    const float sign = random & 8 ? -1.0f : 1.0f;
    if ((random & 6) == 0) return sign * floats[random >> 4 & 15];
    if ((random & 6) == 2) return sign * (float)(random >> 40) / 4096;
    if ((random & 0xff0) == 0) return sign * __int_as_float(0x7f800000);
    if ((random & 0xff0) == 16) return __int_as_float(0x7fffffff);
    return from_bits<float>(random >> 16);
  }
};
template <> struct Argument<double> {
  static __device__ double at(Bits random) {
    if (random & 1) return Argument<float>::at(random >> 1);
    if (random & 2) return (double)(long long)random / 1099511627776.0;
    return from_bits<double>(random);
  }
};
template <> struct Argument<__half> {
  static __device__ __half at(Bits random) {
    const Bits bits = random & 1 ? halves[random >> 2 & 15] | (random & 2) << 14 : random >> 16;
    return from_bits<__half>(bits & 0xffff);
  }
};
template <> struct Argument<__half2> {
  static __device__ __half2 at(Bits random) {
    return from_bits<__half2>(to_bits(Argument<__half>::at(random)) | to_bits(Argument<__half>::at(mixed(random))) << 16);
  }
};
)";
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
