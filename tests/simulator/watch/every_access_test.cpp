#include "simulator/watch/checked_fixture.hpp"
#include "simulator/watch/kernel_fault.hpp"
#include "test.hpp"

// The simulator only judges accesses that the compiler hooks. Here, each form in every_access.txt is
// compiled for many types, and the bytes that are recorded are compared with those that the machine touched.
//
// A byte was read if another value there makes another result, and written if its value changes. It was
// recorded if a store to it by a thread of another warp is a race. Blocks are trials: each has its own
// memory.

namespace gpulab::simulator::watch {
namespace {

using Bytes = std::vector<unsigned char>;

// The object of a trial begins after some bytes that no form touches.
constexpr std::size_t begin_of_object = 16;
constexpr std::size_t bytes_of_variable = 131'072;  // variable_bytes in every_access.cuh

struct Form {
  std::string name, code;
};

// A type of CUDA C++, its size, and the lists of types that it is in.
struct Type {
  const char *name, *spelling;
  std::size_t bytes;
  const char* lists;
  bool is_tried_by_name = false;  // in shared memory and in a variable, too
  std::size_t padding = 0;        // at its end; undefined after a copy

  // Returns whether a byte of memory or of results is padding. Objects begin at multiples of 16 in both.
  bool is_padding(std::size_t byte) const { return byte % bytes >= bytes - padding; }

  // Forms touch six objects at most, and write results of 48 bytes.
  std::size_t bytes_of_memory() const {
    return (begin_of_object + std::max<std::size_t>(6 * bytes, 48) + 31) / 16 * 16;
  }
};

constexpr Type types[] = {
    {"unsigned_char", "unsigned char", 1, "all scalars numbers integers"},
    {"unsigned_short", "unsigned short", 2, "unsigned_short"},
    {"int", "int", 4, "all scalars numbers integers vectors atomic_numbers atomic_words atomic_integers",
     true},
    {"unsigned", "unsigned", 4, "atomic_numbers atomic_words atomic_integers"},
    {"unsigned_long_long", "unsigned long long", 8,
     "numbers integers vectors atomic_numbers atomic_integers"},
    {"float", "float", 4, "scalars numbers vectors atomic_numbers", true},
    {"double", "double", 8, "all scalars numbers vectors atomic_numbers"},
    {"float4", "float4", 16, "all vectors float4", true},
    {"uchar2", "uchar2", 2, "vectors"},
    {"complex", "cuFloatComplex", 8, "complex"},
    {"half", "__half", 2, "half"},
    {"half2", "__half2", 4, "half2"},
    {"bfloat16", "__nv_bfloat16", 2, "bfloat16"},
    {"Byte", "Byte", 1, "all structures"},
    {"Three", "Three", 3, "all structures"},
    {"Word", "Word", 4, "all structures"},
    {"Two", "Two", 8, "all structures"},
    {"Vector", "Vector", 12, "all structures", true},
    {"Padded", "Padded", 16, "all structures", /*is_tried_by_name=*/false, /*padding=*/7},
    {"Nested", "Nested", 24, "all structures"},
    {"Line", "Line", 64, "all structures"},
    {"Either", "Either", 4, "all"},
    {"Owned", "Owned", 8, "all structures", true},
    {"Bits", "Bits", 4, "bits", true},
    {"Summed", "Summed", 8, "summed", true},
    {"Virtual", "Virtual", 16, "virtual"},
};

bool is_in(const std::string& list, const Type& type) {
  std::istringstream lists(std::string(type.lists) + " " + type.name);
  return std::ranges::count(std::vector<std::string>(std::istream_iterator<std::string>(lists), {}), list) >
         0;
}

// Returns the forms that are for the type.
std::vector<Form> forms_of(const Type& type) {
  std::ifstream file(source_file("tests/simulator/watch/every_access.txt"));
  std::vector<Form> forms;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t list = line.find(": ") + 2, code = line.find(": ", list) + 2;
    if (is_in(line.substr(list, code - 2 - list), type))
      forms.push_back({line.substr(0, list - 2), line.substr(code)});
  }
  return forms;
}

// The place of the memory: the code names it by a pointer, or by its own name.
enum class Space { global, shared, variable };
constexpr Space spaces[] = {Space::global, Space::shared, Space::variable};
const char* name_of(Space space) {
  return space == Space::global ? "global" : space == Space::shared ? "shared" : "variable";
}

std::string function_of(Space space, std::size_t number) {
  return "run_" + std::string(name_of(space)) + "_" + std::to_string(number);
}

// Returns the kernel of a space, whose blocks are trials. It stores to each byte by its own instruction,
// since each pair of instructions that race is reported once.
std::string kernel_of(Space space, std::size_t forms, std::size_t bytes) {
  const std::string own = space == Space::shared ? "sink" : "shared_place->bytes";
  const std::string watched = space == Space::global ? "memory"
                              : space == Space::shared
                                  ? "shared_place->bytes"
                                  : "variable_bytes + blockIdx.x * " + std::to_string(bytes);
  const std::string size = std::to_string(bytes);
  std::string text =
      std::string("__global__ void ") + name_of(space) +
      "(unsigned char* memories, unsigned char* sinks, const int* forms, const int* probes, int i) {\n"
      "  extern __shared__ Place shared_place[];\n"
      "  unsigned char *const memory = memories + blockIdx.x * " +
      size + ", *const sink = sinks + blockIdx.x * " + size +
      ";\n"
      "  unsigned char *const own = " +
      own + ", *const watched = " + watched +
      ";\n"
      "  if (threadIdx.x == 0 && own != sink) copy(own, sink, " +
      size +
      ");\n"
      "  if (threadIdx.x == 0 && watched != memory) copy(watched, memory, " +
      size +
      ");\n"
      "  __syncthreads();\n"
      "  if (threadIdx.x == 0) switch (forms[blockIdx.x]) {\n";
  for (std::size_t i = 0; i < forms; ++i)
    text += "    case " + std::to_string(i) + ": " + function_of(space, i) + "(memory, own, i); break;\n";
  text += "  }\n  if (threadIdx.x == 32) switch (probes[blockIdx.x]) {\n";
  for (std::size_t k = 0; k < bytes; ++k)
    text += "    case " + std::to_string(k) + ": watched[" + std::to_string(k) + "] ^= 0xe6; break;\n";
  return text +
         "  }\n"
         "  __syncthreads();\n"
         "  if (threadIdx.x == 0 && own != sink) copy(sink, own, " +
         size +
         ");\n"
         "  if (threadIdx.x == 0 && watched != memory) copy(memory, watched, " +
         size +
         ");\n"
         "}\n";
}

std::vector<Space> spaces_of(const Type& type) {
  return type.is_tried_by_name ? std::vector{Space::global, Space::shared, Space::variable}
                               : std::vector{Space::global};
}

// Returns a function in one line for each form and space, and a kernel for each space.
std::string kernels_of(const Type& type, const std::vector<Form>& forms) {
  std::string text =
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuComplex.h>\n#include <cuda/atomic>\n" +
      source_text("tests/simulator/watch/every_access.cuh") + "\nusing T = " + type.spelling + ";\n" +
      "static_assert(sizeof(T) == " + std::to_string(type.bytes) + ");\n";
  for (const Space space : spaces_of(type)) {
    const std::string offset = " + " + std::to_string(begin_of_object) + ");";
    const std::string object = space == Space::global ? "T* const p = reinterpret_cast<T*>(memory" + offset
                               : space == Space::shared
                                   ? "extern __shared__ Place shared_place[]; T* const p = "
                                     "reinterpret_cast<T*>(shared_place->bytes" +
                                         offset
                                   : "T* const p = reinterpret_cast<T*>(variable_bytes + blockIdx.x * " +
                                         std::to_string(type.bytes_of_memory()) + offset;
    for (std::size_t i = 0; i < forms.size(); ++i)
      text += "__device__ __noinline__ void " + function_of(space, i) +
              "(unsigned char* memory, unsigned char* sink, int i) { " + object +
              " T* const out = reinterpret_cast<T*>(sink); " + forms[i].code + " }\n";
    text += kernel_of(space, forms.size(), type.bytes_of_memory());
  }
  return text;
}

// A block's work: one form on its own memory and results, and the byte that another warp stores to, or -1.
struct Trial {
  int form = 0, probe = -1;
  Bytes memory, sink;
};

class EveryAccess : public CheckedTest {
 protected:
  static Trial trial(const Type& type, std::size_t form, unsigned char difference) {
    Trial trial{.form = static_cast<int>(form)};
    // The object in memory begins with the same letters as the results, but for the difference.
    const auto letter = [](std::size_t i) { return static_cast<unsigned char>('A' + (i + 4) % 12); };
    for (std::size_t i = 0; i < type.bytes_of_memory(); ++i) {
      trial.memory.push_back(letter(i + 24 - begin_of_object));
      trial.sink.push_back(static_cast<unsigned char>(letter(i) ^ difference));
    }
    return trial;
  }

  // Records in each trial what its block did.
  void run(device::Module& module, Space space, std::vector<Trial>& trials) {
    Bytes memories, sinks;
    std::vector<int> forms, probes;
    bool has_probe = false;
    for (const Trial& trial : trials) {
      memories.insert(memories.end(), trial.memory.begin(), trial.memory.end());
      sinks.insert(sinks.end(), trial.sink.begin(), trial.sink.end());
      forms.push_back(trial.form);
      probes.push_back(trial.probe);
      has_probe |= trial.probe >= 0;
    }
    const DeviceBuffer<unsigned char> memory = buffer(memories), sink = buffer(sinks);
    const DeviceBuffer<int> form = buffer(forms), probe = buffer(probes);
    launch(module, name_of(space),
           {.grid = {static_cast<unsigned>(trials.size())},
            .block = {has_probe ? 33u : 1u},
            .dynamic_shared_bytes = 512},
           memory.pointer(), sink.pointer(), static_cast<const int*>(form.pointer()),
           static_cast<const int*>(probe.pointer()), 0);
    memories = memory.values(), sinks = sink.values();
    const auto bytes = static_cast<std::ptrdiff_t>(trials.front().memory.size());
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const std::ptrdiff_t begin = static_cast<std::ptrdiff_t>(i) * bytes;
      trials[i].memory.assign(memories.begin() + begin, memories.begin() + begin + bytes);
      trials[i].sink.assign(sinks.begin() + begin, sinks.begin() + begin + bytes);
    }
  }

  static bool are_alike(const Type& type, const Bytes& a, const Bytes& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i] && !type.is_padding(i)) return false;
    return true;
  }

  // Adds the bytes that the form wrote or read. The first trial ran on the memory of `before`; each other one
  // had another value in one byte, which was read if the results differ from those of the first.
  static void add_touched(const Type& type, const Trial& before, std::span<Trial> trials,
                          std::set<std::size_t>& bytes) {
    const Trial& now = trials.front();
    for (std::size_t i = 0; i < before.memory.size(); ++i)
      if (now.memory[i] != before.memory[i] && !type.is_padding(i)) bytes.insert(i);
    for (std::size_t i = begin_of_object; i < before.memory.size(); ++i) {
      Trial& then = trials[1 + i - begin_of_object];
      const bool is_as_it_was = then.memory[i] == (before.memory[i] ^ 4);
      if (is_as_it_was) then.memory[i] = now.memory[i];
      if (!are_alike(type, then.sink, now.sink) || !are_alike(type, then.memory, now.memory)) bytes.insert(i);
    }
  }

  // Returns the bytes that the machine read or wrote, for each form. A launch tries several forms: as many as
  // have room in the variable, and few enough to count their instructions.
  std::vector<std::set<std::size_t>> touched(device::Module& module, Space space, const Type& type,
                                             std::size_t forms) {
    std::vector<std::set<std::size_t>> bytes(forms);
    const std::size_t trials_of_form = 1 + type.bytes_of_memory() - begin_of_object;
    const std::size_t at_once =
        std::clamp<std::size_t>(bytes_of_variable / (trials_of_form * type.bytes_of_memory()), 1, 8);
    for (std::size_t first = 0; first < forms; first += at_once)
      for (const unsigned char difference : {0, 0x18}) {
        const std::size_t end = std::min(first + at_once, forms);
        std::vector<Trial> trials;
        for (std::size_t form = first; form < end; ++form) {
          const Trial before = trial(type, form, difference);
          trials.push_back(before);
          for (std::size_t i = begin_of_object; i < before.memory.size(); ++i)
            trials.emplace_back(before).memory[i] ^= 4;
        }
        run(module, space, trials);
        for (std::size_t form = first; form < end; ++form)
          add_touched(type, trial(type, form, difference),
                      std::span(trials).subspan((form - first) * trials_of_form, trials_of_form),
                      bytes[form]);
      }
    return bytes;
  }

  // Returns the bytes where the form races with a store by another warp.
  std::set<std::size_t> recorded(device::Module& module, Space space, const Type& type, std::size_t form,
                                 const std::set<std::size_t>& bytes) {
    std::vector<Trial> trials;
    for (const std::size_t byte : bytes)
      trials.emplace_back(trial(type, form, 0)).probe = static_cast<int>(byte);
    instruments().take_defects();
    run(module, space, trials);
    std::set<std::size_t> raced;
    for (const Defect& defect : instruments().take_defects())
      if (defect.kind == DefectKind::global_race || defect.kind == DefectKind::shared_race)
        raced.insert(static_cast<std::size_t>(trials[defect.party.place->block.x].probe));
    return raced;
  }

  std::unique_ptr<device::Module> compiled(const Type& type, const std::string& text) {
    try {
      return device().compile({"test.cu", text}, {.instrumentation = instrumentation_});
    } catch (const CompileError& error) {
      ADD_FAILURE() << type.name << ": " << error.what() << "\n" << error.log();
      return nullptr;
    }
  }

  // Returns whether the test looks at the lines of accesses. Finding them takes long.
  virtual bool needs_lines() const { return false; }
  void SetUp() override {
    if (GetParam().find('-') != std::string::npos && !std::getenv("GPULAB_EVERY_COMPILER"))
      GTEST_SKIP() << "GPULAB_EVERY_COMPILER is not set";
    CheckedTest::SetUp();
    if (needs_lines()) return;
    before_ = set_line_finder([](const std::string&, std::span<const std::uintptr_t> offsets) {
      std::vector<std::string> lines;
      for (const std::uintptr_t offset : offsets) lines.push_back("test.cu:" + std::to_string(offset));
      return lines;
    });
  }
  void TearDown() override {
    if (before_) set_line_finder(before_);
    CheckedTest::TearDown();
  }

 private:
  LineFinder before_;
};

TEST_P(EveryAccess, IsRecordedByteForByte) {
  for (const Type& type : types) {
    const std::vector<Form> forms = forms_of(type);
    const auto module = compiled(type, kernels_of(type, forms));
    if (!module) continue;
    for (const Space space : spaces_of(type)) {
      const std::vector<std::set<std::size_t>> bytes = touched(*module, space, type, forms.size());
      for (std::size_t i = 0; i < forms.size(); ++i) {
        const std::string what = std::string(type.name) + " " + name_of(space) + " " + forms[i].name;
        if (bytes[i].empty())
          ADD_FAILURE() << what << " touches nothing";
        else
          EXPECT_EQ(recorded(*module, space, type, i, bytes[i]), bytes[i]) << what;
      }
    }
  }
}

// With GPULAB_EVERY_COMPILER set, every version that is installed.
const auto compilers = testing::Values("g++", "g++-11", "g++-13", "g++-14", "clang++", "clang++-15",
                                       "clang++-16", "clang++-17", "clang++-18", "clang++-19");
std::string name_of_version(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.starts_with("g") ? "Gcc" : "Clang";
  const std::size_t hyphen = info.param.find('-');
  return hyphen == std::string::npos ? name : name + info.param.substr(hyphen + 1);
}
INSTANTIATE_TEST_SUITE_P(Simulator, EveryAccess, compilers, name_of_version);

// Each access must be counted in its own line, or in a line of a function that it calls.
class EveryAccessCounted : public EveryAccess {
 protected:
  EveryAccessCounted() { instrumentation_ = device::Instrumentation::counted; }
  bool needs_lines() const override { return true; }

  // Returns the bytes of global memory that one thread asks for in these lines.
  std::uint64_t counted_bytes(device::Module& module, const Type& type, std::size_t form,
                              const std::set<int>& lines) {
    instruments().take_access_counts();
    std::vector<Trial> trials{trial(type, form, 0)};
    run(module, Space::global, trials);
    std::uint64_t bytes = 0;
    for (const LineAccesses& accesses : instruments().take_access_counts().lines)
      if (!is_shared(accesses.kind) && lines.contains(accesses.line)) bytes += accesses.sums.bytes;
    return bytes;
  }
};

TEST_P(EveryAccessCounted, IsCountedInItsLine) {
  for (const Type& type : types) {
    if (!type.is_tried_by_name) continue;
    const std::vector<Form> forms = forms_of(type);
    const std::string text = kernels_of(type, forms);
    const auto module = compiled(type, text);
    if (!module) continue;
    const std::vector<std::set<std::size_t>> bytes = touched(*module, Space::global, type, forms.size());
    std::set<int> of_functions;
    for (int line = 1; line < gpulab::line_of(text, "void copy("); ++line) of_functions.insert(line);
    for (std::size_t i = 0; i < forms.size(); ++i) {
      if (forms[i].name.starts_with("place_new"))
        continue;  // GCC does not show the store of a function's result
      std::set<int> lines = of_functions;
      lines.insert(gpulab::line_of(text, "void " + function_of(Space::global, i) + "("));
      EXPECT_GE(counted_bytes(*module, type, i, lines), bytes[i].size()) << type.name << " " << forms[i].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Simulator, EveryAccessCounted, compilers, name_of_version);

}  // namespace
}  // namespace gpulab::simulator::watch
