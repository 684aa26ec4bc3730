#include <algorithm>

#include "program/compiler.hpp"

namespace gpulab::program {
namespace {

namespace fs = std::filesystem;

// Returns the folder of cuRAND's headers: beside nvcc, or where Linux distributions have it; empty if there
// is none.
const fs::path& folder_of_curand() {
  static const fs::path found = [] {
    std::error_code ignored;
    std::vector<fs::path> folders;
    if (const auto nvcc = find_nvcc())
      folders.push_back(fs::weakly_canonical(*nvcc, ignored).parent_path().parent_path() / "include");
    folders.insert(folders.end(), {"/usr/local/cuda/include", "/usr/include"});
    const auto has_it = [&](const fs::path& folder) {
      return fs::exists(folder / "curand_kernel.h", ignored);
    };
    const auto folder = std::ranges::find_if(folders, has_it);
    return folder == folders.end() ? fs::path() : *folder;
  }();
  return found;
}

bool is_of_curand(std::string_view header) {
  return header.starts_with("curand");
}

// Takes the place of <nv/target>, which chooses between PTX and C++.
constexpr const char* curand_as_on_the_host = R"(#ifndef __NV_TARGET_H
#define __NV_TARGET_H
#define NV_IF_TARGET(condition, ...) GPULAB_##condition(__VA_ARGS__,)
#define NV_IF_ELSE_TARGET(condition, if_so, otherwise) GPULAB_##condition(if_so, otherwise)
#define GPULAB_NV_IS_HOST(if_so, ...) if_so
#define GPULAB_NV_IS_DEVICE(if_so, otherwise, ...) otherwise
#define GPULAB_NV_PROVIDES_SM_35 GPULAB_NV_IS_DEVICE
#define GPULAB_NV_PROVIDES_SM_61 GPULAB_NV_IS_DEVICE
#endif
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END
#include <library_types.h>
)";

}  // namespace

bool has_curand() {
  return !folder_of_curand().empty();
}

std::optional<std::string> toolkit_header(std::string_view name) {
  if (!has_curand() || !is_of_curand(name)) return std::nullopt;
  return curand_as_on_the_host + ("#include_next <" + std::string(name) + ">\n");
}

ToolkitUse toolkit_use(const std::vector<std::string>& included) {
  if (!has_curand() || std::ranges::none_of(included, is_of_curand)) return {};
  const fs::path& folder = folder_of_curand();
  return {{folder, folder / "cccl"},
          {"__umulhi", "__ldg", "__dmul_rn", "__int2float_rn", "__longlong_as_double", "float4", "lgammaf",
           "min", "rsqrt", "sincosf", "sincospi", "sqrtf"}};
}

}  // namespace gpulab::program
