#include "program/toolkit_headers.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "program/compiler.hpp"
#include "program/nvcc.hpp"
#include "simulator/compile/compiler.hpp"

// Headers of the CUDA Toolkit in a program that is compiled for the simulated device.

namespace gpulab::program {
namespace {

namespace fs = std::filesystem;
using simulator::compile::HostCompiler;
using simulator::compile::write;

constexpr const char *thrust_prelude = "prelude.cuh.thrust", *headers_folder = "cccl";

// Thrust, and what its headers include.
constexpr const char* libraries[] = {"thrust", "cub", "cuda", "nv"};

// Replaces <nv/target>, which chooses between PTX and C++. If Thrust has included <nv/target> for the
// host, that one stays.
constexpr const char* before_curand = R"(#ifndef __NV_TARGET_H
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

// Returns the folder that has this header: the one that GPULAB_CCCL names, a toolkit's, or the system's, as
// on Debian. The toolkit in /usr/local/cuda need not have nvcc.
std::optional<fs::path> folder_with(const char* header) {
  std::vector<fs::path> folders, toolkits;
  std::error_code failed;
  if (const char* named = std::getenv("GPULAB_CCCL"); named && *named) folders.emplace_back(named);
  if (const auto nvcc = find_nvcc())
    toolkits.push_back(fs::canonical(*nvcc, failed).parent_path().parent_path());
  toolkits.emplace_back("/usr/local/cuda");
  for (const fs::path& toolkit : toolkits)
    for (const char* include : {"include/cccl", "include"}) folders.push_back(toolkit / include);
  folders.emplace_back("/usr/include");
  for (const fs::path& folder : folders)
    if (fs::exists(folder / header, failed)) return fs::canonical(folder, failed);
  return std::nullopt;
}

bool is_of_curand(const std::string& header) {
  return header.starts_with("curand");
}

// Returns whether Thrust's own header is used. Those of its CUDA system are replaced by empty files.
bool is_of_thrust(const std::string& header) {
  return header.starts_with("thrust/") && !header.starts_with("thrust/system/");
}

// Returns whether libcu++'s own header is used. The prelude replaces its atomics, barriers and semaphores.
bool is_of_libcupp(const std::string& header) {
  return (header.starts_with("cuda/std/") &&
          !is_one_of(header, {"cuda/std/atomic", "cuda/std/barrier", "cuda/std/semaphore"})) ||
         header == "cuda/functional";
}

void write_in_folders(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  write(file, text);
}

std::string version_of(const fs::path& header) {
  return header.string() + " " + std::to_string(fs::last_write_time(header).time_since_epoch().count());
}

}  // namespace

ToolkitHeaders::ToolkitHeaders(const std::vector<std::string>& included, bool may_use)
    : included_(included), may_use_(may_use) {
  if (!may_use) return;
  uses_thrust_ = std::ranges::any_of(included, is_of_thrust);
  if (uses_thrust_ || std::ranges::any_of(included, is_of_libcupp)) cccl_ = folder_with(version_header());
  if (std::ranges::any_of(included, is_of_curand)) curand_ = folder_with("curand_kernel.h");
}

const char* ToolkitHeaders::version_header() const {
  return uses_thrust_ ? "thrust/version.h" : "cuda/std/version";
}

bool ToolkitHeaders::has(const std::string& header) const {
  return (cccl_ && (is_of_thrust(header) || is_of_libcupp(header))) || (curand_ && is_of_curand(header));
}

bool ToolkitHeaders::offers(std::string_view library) const {
  return (cccl_ && uses_thrust_ && library.starts_with("Thrust")) ||
         (cccl_ && library.find("(cuda::std::") != std::string_view::npos) ||
         (curand_ && library == "cuRAND");
}

std::string ToolkitHeaders::includes() const {
  if (!cccl_) return "";
  std::string text = uses_thrust_ ? "#include \"" + std::string(thrust_prelude) + "\"\n" : "";
  for (const std::string& name : included_)
    if (is_of_thrust(name) || is_of_libcupp(name)) text += "#include <" + name + ">\n";
  return text;
}

std::vector<std::string> ToolkitHeaders::words() const {
  if (!curand_) return {};
  return {"__umulhi", "__ldg",   "__dmul_rn", "__int2float_rn", "__longlong_as_double",
          "float4",   "lgammaf", "min",       "rsqrt",          "sincosf",
          "sincospi", "sqrtf"};
}

std::vector<std::string> ToolkitHeaders::options() const {
  std::vector<std::string> options;
  if (cccl_)
    options = {"-isystem", headers_folder, "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
               "-DTHRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP"};
  if (curand_)
    options.insert(options.end(),
                   {"-idirafter", curand_->string(), "-idirafter", (*curand_ / "cccl").string()});
  return options;
}

std::vector<fs::path> ToolkitHeaders::readable() const {
  std::vector<fs::path> folders;
  for (const char* library : libraries)
    if (cccl_ && fs::exists(*cccl_ / library)) folders.push_back(*cccl_ / library);
  if (curand_) folders.push_back(*curand_);
  return folders;
}

std::string ToolkitHeaders::version() const {
  return (cccl_ ? header_text("thrust.cuh") + version_of(*cccl_ / version_header()) : "") +
         (curand_ ? before_curand + version_of(*curand_ / "curand_kernel.h") : "");
}

void ToolkitHeaders::write_to(const fs::path& folder) const {
  const fs::path searched_first = folder / HostCompiler::headers_folder;
  if (curand_) {
    write_in_folders(searched_first / "cuda_runtime.h", "");  // the toolkit's would be a second one
    for (const std::string& name : included_)
      if (is_of_curand(name) && name.find('/') == std::string::npos)
        write(searched_first / name, before_curand + ("#include_next <" + name + ">\n"));
  }
  if (!cccl_) return;
  fs::create_directories(folder / headers_folder);
  for (const char* library : libraries)
    if (fs::exists(*cccl_ / library))
      fs::create_directory_symlink(*cccl_ / library, folder / headers_folder / library);
  if (uses_thrust_) {
    write(folder / thrust_prelude, header_text("thrust.cuh"));
    for (const char* replaced :
         {"thrust/device_allocator.h", "thrust/device_malloc.h", "thrust/device_free.h",
          "thrust/universal_allocator.h", "thrust/universal_ptr.h", "thrust/universal_vector.h"})
      write_in_folders(searched_first / replaced, "#include \"" + std::string(thrust_prelude) + "\"\n");
  }
  // Thrust's own header would take the empty cuda_runtime_api.h for the toolkit's.
  if (const fs::path toolkit = "cuda/std/__cccl/cuda_toolkit.h"; fs::exists(*cccl_ / toolkit))
    write_in_folders(
        searched_first / toolkit,
        "#define _CCCL_HAS_CTK() 0\n#define _CCCL_CTK_BELOW(...) 0\n#define _CCCL_CTK_AT_LEAST(...) 0\n");
}

}  // namespace gpulab::program
