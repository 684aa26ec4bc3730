#pragma once

namespace gpulab {

// Why a kernel could not be compiled, or was stopped, as far as a program can tell.
enum class FailureKind {
  does_not_compile,
  missing_kernel,    // the file has no kernel of that name
  wrong_parameters,  // it has one, with other parameters than the lesson launches
  launch_refused,
  illegal_address,
  not_enough_shared,  // dynamic shared memory, of what the launch asks for
  division_by_zero,
  divergent_barrier,
  deadlock,
  time_limit,
  stack_overflow,
  trapped,  // the kernel stopped itself
  other,
};

struct Failure {
  FailureKind kind = FailureKind::other;
  int line = 0;  // of the kernel file; 0 when it cannot be told
};

}  // namespace gpulab
