#include "core/question.hpp"

#include <stdexcept>

namespace gpulab {

double Facts::of(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::logic_error("the question has no fact '" + name + "'");
  return found->second;
}

}  // namespace gpulab
