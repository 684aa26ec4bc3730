#include "lesson/launch.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

#include "lesson/problem.hpp"

namespace gpulab {

std::string DeviceProperties::compute_capability() const {
  if (compute_capability_major == 0) return {};
  return std::to_string(compute_capability_major) + "." + std::to_string(compute_capability_minor);
}

std::string DeviceProperties::architecture() const {
  if (compute_capability_major == 0) return {};
  return "sm_" + std::to_string(compute_capability_major) + std::to_string(compute_capability_minor);
}

void DeviceProperties::set_compute_capability(const std::string& text) {
  std::istringstream words(text);
  char point = '.';
  words >> compute_capability_major >> point >> compute_capability_minor;
}

namespace {

const Problem& require_problem(const Problem* problem, const char* name) {
  if (!problem) throw std::logic_error("there is no problem with '" + std::string(name) + "'");
  return *problem;
}

}  // namespace

std::size_t LaunchContext::length(const ArrayHandle& array) const {
  return require_problem(problem, array.name).array(array).length;
}

std::uint64_t LaunchContext::value_bits(const char* scalar) const {
  return require_problem(problem, scalar).scalar(scalar);
}

namespace {

constexpr unsigned threads_of_a_warp = 32;

LaunchConfig in_one_dimension(unsigned blocks, unsigned threads) {
  return {.grid = {blocks}, .block = {threads}};
}

}  // namespace

unsigned ceil_div(std::size_t items, std::size_t step) {
  return static_cast<unsigned>((items + step - 1) / step);
}

ChosenLaunch one_thread_per_element(const LaunchRequest& request) {
  return {in_one_dimension(ceil_div(request.size(), request.block_size), request.block_size),
          Ownership::one_item};
}

ChosenLaunch one_thread_per_four_elements(const LaunchRequest& request) {
  return LaunchConfig{.grid = {ceil_div(request.size(), std::size_t{4} * request.block_size)},
                      .block = {request.block_size}};
}

ChosenLaunch one_thread_per_pixel(const LaunchRequest& request) {
  const unsigned width = std::min(request.block_size, threads_of_a_warp);
  const Extent block{width, request.block_size / width};
  const Extent grid{ceil_div(request.work.x, block.x), ceil_div(request.work.y, block.y)};
  return {{.grid = grid, .block = block}, Ownership::one_item};
}

ChosenLaunch resident_blocks(const LaunchRequest& request) {
  const unsigned blocks = std::min(ceil_div(request.size(), request.block_size), request.resident_blocks);
  return {in_one_dimension(std::max(blocks, 1u), request.block_size), Ownership::grid_stride};
}

LaunchShape fixed_blocks(unsigned blocks) {
  return [blocks](const LaunchRequest& request) {
    return ChosenLaunch(in_one_dimension(blocks, request.block_size), Ownership::one_item);
  };
}

ChosenLaunch one_block_of_size_threads(const LaunchRequest& request) {
  return {in_one_dimension(1, static_cast<unsigned>(request.size())), Ownership::one_item};
}

}  // namespace gpulab
