// Kernels that are checked are compiled with -fsanitize=bounds,alignment,integer-divide-by-zero but
// without its run-time library: the compiler then calls these functions where an index is outside an array of
// known size, an address is not a multiple of what its type needs, or an integer is divided by 0. The
// structures are those of GCC (since 5) and Clang.
#include <cstdint>
#include <cstdio>

#include "device/simulator/schedule/device_calls.hpp"

namespace {

struct SourceLocation {
  const char* file;
  std::uint32_t line, column;
};

struct TypeDescriptor {
  std::uint16_t kind;  // 0: an integer
  std::uint16_t info;  // of an integer: bit 0 whether it has a sign, above it the logarithm of its bits
  char name[1];        // in quotes, and as long as it is
};

struct OutOfBounds {
  SourceLocation location;
  const TypeDescriptor *array, *index;
};

struct TypeMismatch {
  SourceLocation location;
  const TypeDescriptor* type;
  unsigned char log_alignment, check;
};

struct Division {
  SourceLocation location;
  const TypeDescriptor* type;
};

long long value_of(const TypeDescriptor& type, std::uintptr_t bits) {
  const unsigned width = 1u << (type.info >> 1);
  if (width >= 64 || !(type.info & 1)) return static_cast<long long>(bits);
  return static_cast<long long>(bits << (64 - width)) >> (64 - width);
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" {

void __ubsan_handle_out_of_bounds(OutOfBounds* what, std::uintptr_t index) {
  gpulab::FoundDefect defect{.kind = gpulab::DefectKind::array_index};
  defect.party.line = static_cast<int>(what->location.line);
  std::snprintf(defect.detail, sizeof defect.detail, "index %lld of %s", value_of(*what->index, index),
                what->array->name);
  gpulab::scheduler_of_this_thread()->fail_with(defect, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

void __ubsan_handle_type_mismatch_v1(TypeMismatch* what, std::uintptr_t address) {
  gpulab::FoundDefect defect{.kind = gpulab::DefectKind::misaligned, .address = address};
  defect.party.line = static_cast<int>(what->location.line);
  std::snprintf(defect.detail, sizeof defect.detail,
                "a %s, which needs a multiple of %d bytes, %d bytes after one", what->type->name,
                1 << what->log_alignment,
                static_cast<int>(address % (std::uintptr_t{1} << what->log_alignment)));
  gpulab::scheduler_of_this_thread()->fail_with(defect, "CUDA_ERROR_MISALIGNED_ADDRESS");
}

// Called for a divisor of 0 alone: what overflows is not checked.
void __ubsan_handle_divrem_overflow(Division* what, std::uintptr_t, std::uintptr_t) {
  gpulab::FoundDefect defect{.kind = gpulab::DefectKind::division_by_zero};
  defect.party.line = static_cast<int>(what->location.line);
  gpulab::scheduler_of_this_thread()->fail_with(defect, "CUDA_ERROR_LAUNCH_FAILED");
}
}

#pragma GCC visibility pop
