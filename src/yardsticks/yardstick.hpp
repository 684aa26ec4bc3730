#pragma once

// A yardstick is a library call that a user would pick instead of a kernel of a lesson. The yardsticks of one
// library are in a shared library of their own, libgpulab_cub.so, that is opened at run time: the program
// starts, and measures its own kernels, without CUB, cuBLAS or cuDNN. Only C types cross the interface, so
// that both sides may have C++ runtimes of their own.

struct GpulabYardstick {
  const char* name;       // as a lesson calls it: "cub-histogram-even"
  const char* signature;  // of the arguments, as a kernel's would be: "(const int*, int*, int)"
  // Makes what the call needs besides its arguments: workspace, handles, the choice of an algorithm. It is
  // not timed. arguments[i] points to the i-th argument, as for cuLaunchKernel; stream is a CUstream.
  // If that fails, returns null and sets *error to a sentence.
  void* (*prepare)(void* const* arguments, void* stream, const char** error);
  // Enqueues the work that must precede each call, such as restoring input that the call overwrites.
  // Not timed. Returns null or a sentence, as enqueue() does.
  const char* (*reset)(void* prepared, void* stream);
  // Puts the call into the stream. Returns null, or a sentence that says what went wrong.
  const char* (*enqueue)(void* prepared, void* stream);
  void (*release)(void* prepared);
};

struct GpulabYardsticks {
  const char* library;  // with its version: "CUB 3.0.1"
  const GpulabYardstick* list;
  int count;
};

// The one function that such a library exports.
using GpulabYardsticksFunction = GpulabYardsticks();
