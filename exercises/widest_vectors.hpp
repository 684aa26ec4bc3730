#pragma once

// The program is built for any CPU of its kind. A function marked so is compiled for wider vectors as well,
// and the loader takes the widest that the CPU has: an honest CPU reference uses the CPU that it runs on.
// Only loops in the function itself profit; the body of an OpenMP region is a function of its own.
#if defined(__x86_64__) && defined(__linux__) && __has_attribute(target_clones)
#define GPULAB_WIDEST_VECTORS __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define GPULAB_WIDEST_VECTORS
#endif
