#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "source/code.hpp"

namespace gpulab::source {

// A sum of products that was computed from tokens.
struct ComputedValue {
  std::optional<double> value;  // none if the tokens are no expression, or a name has no value
  std::size_t end = 0;          // token behind the expression, or the one that makes no sense
};

using ValueOfName = std::function<std::optional<double>(std::string_view name)>;

// Computes the expression that begins at a token as C++ does: the quotient of whole numbers is whole. The
// value may be infinite or NaN.
ComputedValue computed_value(const Code& code, std::size_t begin, const ValueOfName& value_of);

}  // namespace gpulab::source
