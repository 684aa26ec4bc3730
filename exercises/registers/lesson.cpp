#include "core/lesson.hpp"
#include "vector_add.hpp"

namespace gpulab::lessons {
namespace {

Parameters with_the_number_of_temporaries(const Settings& settings) {
  const std::size_t n = settings.size;
  return kernel_parameters(input<float>("A", n), input<float>("B", n), output<float>("C", n),
                           scalar<int>("size", n), scalar<int>("temporaries", 3));
}

}  // namespace

Lesson registers() {
  return {.name = "registers",
          .title = "Registers and local memory: where a thread keeps its values",
          .place = {.episode = 7, .step = 1},
          .page = "Registers, Global, and Local Memory",
          .text = R"(What a thread computes with lives in registers, which are its own and are
gone when it ends. Naming temporaries, or putting them into a small array,
costs nothing: the compiler sees the same values. How many registers a thread
has is the compiler's to say, and the table does: more than the handful of
variables in the text, since addresses take two each. An array whose index is
known only at run time cannot be in registers. It goes to local memory, which
is private to the thread and as slow as global memory, because that is where
it lies. So do values for which there is no register left: those are spills.
The size of an array must be known when it is compiled; there is no kernel
whose array has the size of a parameter.)",
          .kernels = "registers.cu",
          .default_size = std::size_t{1} << 24,
          .largest_size = largest_int_index,
          .problem = vector_add,
          .variants = {{.name = "plain", .kernel = "vector_add_plain", .idea = "names nothing but the index"},
                       {.name = "temporaries",
                        .kernel = "vector_add_temporaries",
                        .idea = "names its three values"},
                       {.name = "array",
                        .kernel = "vector_add_array",
                        .idea = "an array of three, every index known to the compiler"},
                       {.name = "run-time-index",
                        .kernel = "vector_add_run_time_index",
                        .idea = "an array whose index is known only at run time: local memory"},
                       {.name = "run-time-size",
                        .kernel = "vector_add_run_time_size",
                        .idea = "an array whose size is a parameter: there is none",
                        .expects = Outcome::fails_to_compile,
                        .source = "run_time_size.cu",
                        .parameters = with_the_number_of_temporaries}},
          .claims = {no_faster("temporaries", "plain"), no_faster("run-time-index", "plain")},
          .solution = "temporaries",
          .shows = {.registers = true}};
}

}  // namespace gpulab::lessons
