#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "program/compiler.hpp"
#include "simulator/compile/compiler.hpp"

// Thrust in a program that is compiled for the simulated device.

namespace gpulab::program {
namespace {

namespace fs = std::filesystem;
using simulator::compile::HostCompiler;
using simulator::compile::write;

constexpr const char *own_header = "prelude.cuh.thrust", *headers_folder = "cccl";

// Thrust, and what its headers include.
constexpr const char* libraries[] = {"thrust", "cub", "cuda", "nv"};

// Returns the folder with the headers.
std::optional<fs::path> find_headers() {
  std::vector<fs::path> folders;
  std::error_code failed;
  if (const char* named = std::getenv("GPULAB_CCCL"); named && *named) folders.emplace_back(named);
  if (const auto nvcc = find_nvcc()) {
    const fs::path toolkit = fs::canonical(*nvcc, failed).parent_path().parent_path();
    for (const char* include : {"include/cccl", "include"}) folders.push_back(toolkit / include);
  }
  folders.emplace_back("/usr/include");  // of Debian's libthrust-dev
  for (const fs::path& folder : folders)
    if (fs::exists(folder / "thrust/version.h", failed)) return fs::canonical(folder, failed);
  return std::nullopt;
}

void write_in_folders(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  write(file, text);
}

}  // namespace

bool is_of_thrust(const std::string& header) {
  return (header.starts_with("thrust/") && !header.starts_with("thrust/system/")) ||
         header.starts_with("cuda/std/") || header == "cuda/functional";
}

std::optional<Thrust> thrust_for(const std::vector<std::string>& included) {
  if (std::ranges::none_of(included, [](const std::string& name) { return name.starts_with("thrust/"); }))
    return std::nullopt;
  const auto folder = find_headers();
  if (!folder) return std::nullopt;
  const fs::path file = *folder / "thrust/version.h";
  Thrust thrust{.folder = *folder,
                .includes = "#include \"" + std::string(own_header) + "\"\n",
                .version = header_text("thrust.cuh") + file.string() + " " +
                           std::to_string(fs::last_write_time(file).time_since_epoch().count())};
  for (const std::string& name : included)
    if (is_of_thrust(name)) thrust.includes += "#include <" + name + ">\n";
  for (const char* library : libraries)
    if (fs::exists(*folder / library)) thrust.readable.push_back(*folder / library);
  return thrust;
}

void add_thrust_options(const std::string& first_unit, std::vector<std::string>& command) {
  command.insert(std::ranges::find(command, first_unit),
                 {"-isystem", headers_folder, "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
                  "-DTHRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP"});
}

void write_thrust(const Thrust& thrust, const fs::path& folder) {
  fs::create_directories(folder / headers_folder);
  for (const fs::path& library : thrust.readable)
    fs::create_directory_symlink(library, folder / headers_folder / library.filename());
  write(folder / own_header, header_text("thrust.cuh"));
  const fs::path first = folder / HostCompiler::headers_folder;  // where the compiler looks before
  for (const char* replaced :
       {"thrust/device_allocator.h", "thrust/device_malloc.h", "thrust/device_free.h",
        "thrust/universal_allocator.h", "thrust/universal_ptr.h", "thrust/universal_vector.h"})
    write_in_folders(first / replaced, "#include \"" + std::string(own_header) + "\"\n");
  // Thrust's own would find the empty cuda_runtime_api.h, and believe it.
  if (const fs::path toolkit = "cuda/std/__cccl/cuda_toolkit.h"; fs::exists(thrust.folder / toolkit))
    write_in_folders(
        first / toolkit,
        "#define _CCCL_HAS_CTK() 0\n#define _CCCL_CTK_BELOW(...) 0\n#define _CCCL_CTK_AT_LEAST(...) 0\n");
}

}  // namespace gpulab::program
