#include "core/inspection.hpp"

#include <algorithm>

namespace gpulab {

bool is_counted(const VariantInspection& variant) {
  return ran_to_its_end(variant.result.observed);
}

ExitCode exit_code_of(const Inspection& inspection) {
  ExitCode code = ExitCode::ok;
  for (const VariantInspection& variant : inspection.variants)
    code = std::max(code, exit_code_of(variant.result));
  return code;
}

}  // namespace gpulab
