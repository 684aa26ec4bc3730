#include "device/host.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace gpulab::device {
namespace {

// Returns the bytes that this process may still use in its control group, such as that of a container or a
// batch job; SIZE_MAX without a limit.
std::size_t bytes_left_in_control_group() {
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  constexpr std::string_view version_2 = "0::";
  while (std::getline(groups, line) && !line.starts_with(version_2)) {
  }
  if (line.size() <= version_2.size()) return SIZE_MAX;
  const std::string folder = "/sys/fs/cgroup" + line.substr(version_2.size());
  std::size_t limit = 0, used = 0, cached = 0;
  std::ifstream limit_file(folder + "/memory.max"), used_file(folder + "/memory.current");
  if (!(limit_file >> limit) || !(used_file >> used)) return SIZE_MAX;  // "max" is not a number
  std::ifstream statistics(folder + "/memory.stat");
  for (std::string word; statistics >> word && cached == 0;)
    if (word == "inactive_file") statistics >> cached;  // page cache: given up when memory is short
  used -= std::min(used, cached);
  return limit > used ? limit - used : 0;
}

}  // namespace

std::size_t free_host_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::size_t kibibytes = 0;
    if (word == "MemAvailable:" && file >> kibibytes)
      return std::min(kibibytes * 1024, bytes_left_in_control_group());
  }
  return bytes_left_in_control_group();
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return {};
}

std::vector<std::string> places_of_module(const std::string& name) {
  const std::string file = "libgpulab_" + name + ".so";
  std::error_code ignored;
  const std::filesystem::path program_folder =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::filesystem::path above = program_folder.parent_path();
  std::vector<std::string> places;
  for (const auto& folder : {program_folder, above, above / "lib"})
    places.push_back((folder / file).string());
  std::ranges::stable_partition(places,
                                [](const std::string& place) { return ::access(place.c_str(), F_OK) == 0; });
  return places;
}

namespace {

std::string loader_message() {
  const char* reason = ::dlerror();
  return reason ? reason : "the loader gives no reason";
}

}  // namespace

void DynamicLibrary::Closer::operator()(void* handle) const noexcept {
  ::dlclose(handle);
}

DynamicLibrary::DynamicLibrary(const std::vector<std::string>& names) {
  std::string reason;
  for (const std::string& name : names) {
    handle_.reset(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (handle_) break;
    if (reason.empty()) reason = loader_message();
  }
  if (!handle_) throw std::runtime_error(reason);

  link_map* map = nullptr;
  if (::dlinfo(handle_.get(), RTLD_DI_LINKMAP, &map) == 0) path_ = map->l_name;
}

void* DynamicLibrary::address_of(const char* symbol) const {
  if (void* address = ::dlsym(handle_.get(), symbol)) return address;
  throw std::runtime_error(path_ + " has no function " + symbol);
}

namespace {

bool exceeds(const Extent& extent, const Extent& limit) {
  return extent.x > limit.x || extent.y > limit.y || extent.z > limit.z;
}

}  // namespace

std::optional<BrokenLimit> broken_launch_limit(const LaunchConfig& config, std::size_t static_shared_bytes,
                                               std::size_t max_shared_bytes) {
  const auto is_empty = [](const Extent& extent) { return extent.x == 0 || extent.y == 0 || extent.z == 0; };
  const auto limit_of_shape = [](const std::string& text) { return BrokenLimit{.text = text}; };
  if (is_empty(config.block)) return limit_of_shape("a block needs at least one thread");
  if (is_empty(config.grid)) return limit_of_shape("a grid needs at least one block");
  if (config.block.volume() > max_threads_per_block)
    return limit_of_shape("a block has at most 1024 threads, not " + text_of(config.block));
  if (exceeds(config.block, max_block))
    return limit_of_shape(fmt::format("a block has at most {} threads in x, y and z, not {}",
                                      text_of(max_block), text_of(config.block)));
  if (exceeds(config.grid, max_grid))
    return limit_of_shape(fmt::format("a grid has at most {} blocks in x, y and z, not {}", text_of(max_grid),
                                      text_of(config.grid)));
  if (static_shared_bytes + config.dynamic_shared_bytes > max_shared_bytes)
    return BrokenLimit{
        .is_of_shared_memory = true,
        .text = fmt::format("a block has at most {} bytes of shared memory, not {} static and {} dynamic",
                            max_shared_bytes, static_shared_bytes, config.dynamic_shared_bytes)};
  return std::nullopt;
}

std::string too_much_static_shared(const std::string& file, const std::string& kernel, std::size_t bytes) {
  return fmt::format("{}: {} has {} bytes of static shared memory, and a block has at most {}", file, kernel,
                     bytes, max_static_shared_bytes);
}

std::string too_much_constant(const std::string& file, std::size_t bytes) {
  return fmt::format("{} has {} bytes of constant memory, a module has at most {}", file, bytes,
                     max_constant_bytes);
}

double time_limit() {
  constexpr double default_seconds = 60, max_seconds = 1e9;
  const char* const wanted = std::getenv("GPULAB_TIME_LIMIT");
  if (!wanted || !*wanted) return default_seconds;
  char* end = nullptr;
  const double seconds = std::strtod(wanted, &end);
  if (*end != '\0' || !(seconds > 0 && seconds <= max_seconds))
    throw UsageError(std::string("GPULAB_TIME_LIMIT is '") + wanted +
                     "'; give the number of seconds that a kernel may run without progress");
  return seconds;
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", seconds);
  return text;
}

}  // namespace gpulab::device
