#include "core/launch_context.hpp"

#include <stdexcept>
#include <string>

#include "core/problem.hpp"

namespace gpulab {
namespace {

const Problem& known(const Problem* problem, const char* name) {
  if (!problem) throw std::logic_error("'" + std::string(name) + "' is asked for, and there is no problem");
  return *problem;
}

}  // namespace

std::size_t LaunchContext::length(const ArrayHandle& array) const {
  return known(problem, array.name).array(array).length;
}

std::uint64_t LaunchContext::value_bits(const char* scalar) const {
  return known(problem, scalar).scalar(scalar);
}

}  // namespace gpulab
