#include "check/check_exercise.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <fstream>

#include "check/files.hpp"
#include "simulator/simulator_fixture.hpp"
#include "text_contains.hpp"

// Files that want something else than to compute. Each is answered with a sentence, leaves no process and no
// file behind, and does not touch the file beside it.

namespace gpulab::check {
namespace {

namespace fs = std::filesystem;

struct Hostile {
  const char* name;
  const char* text;     // KERNEL stands for the exercise's kernel up to its body
  const char* pattern;  // that check must report
  const char* words;    // of its sentence
};

constexpr const char* kernel_head =
    "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size)";

constexpr Hostile hostile_files[] = {
    // Other functions than a GPU has.
    {"calls_system", "extern \"C\" int system(const char*);\nKERNEL { system(\"echo dead > canary\"); }",
     "does-not-compile", "system"},
    {"calls_system_marked",
     "extern \"C\" __device__ int system(const char*);\nKERNEL { system(\"echo dead > canary\"); }",
     "does-not-compile", "system() is no function that a GPU has"},
    {"opens_a_file",
     "extern \"C\" __device__ int open(const char*, int, ...);\nKERNEL { open(\"canary\", 1); }",
     "does-not-compile", "open()"},
    {"removes_a_file", "extern \"C\" __device__ int unlink(const char*);\nKERNEL { unlink(\"canary\"); }",
     "does-not-compile", "unlink()"},
    {"opens_a_socket", "extern \"C\" __device__ int socket(int, int, int);\nKERNEL { socket(2, 1, 0); }",
     "does-not-compile", "socket()"},
    {"forks", "extern \"C\" __device__ int fork();\nKERNEL { for (;;) fork(); }", "does-not-compile",
     "fork()"},
    {"executes",
     "extern \"C\" __device__ int execl(const char*, ...);\nKERNEL { execl(\"/bin/sh\", \"sh\"); }",
     "does-not-compile", "execl()"},
    {"traces_its_parent", "extern \"C\" __device__ long ptrace(int, ...);\nKERNEL { ptrace(16, 1); }",
     "does-not-compile", "ptrace()"},
    {"signals_its_parent",
     "extern \"C\" __device__ int kill(int, int);\nextern \"C\" __device__ int getppid();\nKERNEL { "
     "kill(getppid(), 9); }",
     "does-not-compile", "no function that a GPU has"},
    {"makes_a_raw_system_call",
     "extern \"C\" __device__ long syscall(long, ...);\nKERNEL { syscall(60, 0); }", "does-not-compile",
     "syscall()"},
    {"opens_a_library",
     "extern \"C\" __device__ void* dlopen(const char*, int);\nKERNEL { dlopen(\"libc.so.6\", 1); }",
     "does-not-compile", "dlopen()"},
    {"finds_a_function",
     "extern \"C\" __device__ void* dlsym(void*, const char*);\nKERNEL { dlsym(0, \"system\"); }",
     "does-not-compile", "dlsym()"},
    {"starts_a_thread",
     "extern \"C\" __device__ int pthread_create(void*, void*, void* (*)(void*), void*);\n"
     "__device__ void* run(void*) { return nullptr; }\nKERNEL { pthread_create(C, nullptr, run, nullptr); }",
     "does-not-compile", "pthread_create()"},
    {"maps_memory",
     "extern \"C\" __device__ void* mmap(void*, unsigned long, int, int, int, long);\n"
     "KERNEL { mmap(0, 1ul << 40, 3, 34, -1, 0); }",
     "does-not-compile", "mmap()"},
    {"reads_the_environment",
     "extern \"C\" __device__ char* getenv(const char*);\nKERNEL { printf(getenv(\"HOME\")); }",
     "does-not-compile", "getenv()"},
    {"throws_the_process_away", "extern \"C\" __device__ void _exit(int);\nKERNEL { _exit(0); }",
     "does-not-compile", "_exit()"},
    {"renames_a_function",
     "extern \"C\" __device__ int harmless(const char*) __asm__(\"system\");\n"
     "KERNEL { harmless(\"echo dead > canary\"); }",
     "does-not-compile", "asm"},
    {"renames_by_pragma",
     "#pragma redefine_extname harmless system\nextern \"C\" __device__ int harmless(const char*);\n"
     "KERNEL { harmless(\"echo dead > canary\"); }",
     "does-not-compile", "redefine_extname"},
    // Code that runs when it is loaded.
    {"static_constructor",
     "struct Early { __device__ Early() { printf(\"dead\"); } };\n__device__ Early early;\nKERNEL {}",
     "does-not-compile", "computed when the program starts"},
    {"constructor_attribute", "__attribute__((constructor)) __device__ void early() {}\nKERNEL {}",
     "does-not-compile", "attribute constructor"},
    {"initial_value_by_call",
     "__device__ int f() { return printf(\"dead\"); }\n__device__ int early = f();\nKERNEL {}",
     "does-not-compile", "computed when the program starts"},
    {"chosen_function",
     "extern \"C\" __device__ void* pick() { return nullptr; }\n"
     "__attribute__((ifunc(\"pick\"))) __device__ void f();\nKERNEL { f(); }",
     "does-not-compile", "attribute ifunc"},
    {"own_section", "__attribute__((section(\".init_array\"))) __device__ long early = 1;\nKERNEL {}",
     "does-not-compile", "attribute section"},
    {"static_in_a_function",
     "__device__ int f() { return threadIdx.x; }\nKERNEL { static int once = f(); C[0] = once; }",
     "does-not-compile", ""},
    {"host_constructor", "struct Early { Early() {} } early;\nKERNEL {}", "does-not-compile", "of the host"},
    // Machine code, written in ways that hide it.
    {"inline_assembly", "KERNEL { asm(\"syscall\"); }", "does-not-compile", "asm"},
    {"joined_assembly", "#define JOIN(a, b) a##b\nKERNEL { JOIN(as, m)(\"syscall\"); }", "does-not-compile",
     "asm"},
    {"spliced_assembly", "KERNEL { __as\\\nm__(\"syscall\"); }", "does-not-compile", "asm"},
    {"joined_attribute",
     "#define JOIN(a, b) a##b\n__attribute__((JOIN(no_sani, tize)(\"thread\")))\nKERNEL {}",
     "does-not-compile", "attribute no_sanitize"},
    // Forged verdicts.
    {"takes_over_a_hook", "extern \"C\" __device__ void __tsan_write4(void*) {}\nKERNEL { C[0] = 1; }",
     "does-not-compile", "simulator's own"},
    {"takes_over_a_barrier", "extern \"C\" __device__ int gpulab_barrier(int, int) { return 0; }\nKERNEL {}",
     "does-not-compile", "simulator's own"},
    {"asks_whether_it_is_watched", "#ifdef GPULAB_HOOKED\n#endif\nKERNEL {}", "does-not-compile",
     "simulator's own"},
    {"hides_its_accesses", "__attribute__((no_sanitize_thread))\nKERNEL { C[0] = 1; }", "does-not-compile",
     "no_sanitize_thread is for sanitizers"},
    {"stores_unseen", "KERNEL { __atomic_store_n((int*)C, 1, 0); }", "does-not-compile",
     "no function of CUDA"},
    {"calls_an_address", "KERNEL { ((void (*)())16)(); }", "", ""},
    {"follows_a_wild_pointer", "KERNEL { *(volatile long*)0x7fffffff0000 = 1; }", "out-of-bounds-write", ""},
    {"ends_itself", "KERNEL { __trap(); }", "trap", ""},
    // Too much of everything.
    {"templates_without_end",
     "template <int n> struct Tree { static constexpr long value = Tree<n - 1>::value + Tree<n - 2>::value * "
     "3 + "
     "Tree<n - 1>::value; };\ntemplate <int a, int b> struct Grid { static constexpr long v = Grid<a - 1, "
     "b>::v + "
     "Grid<a, b - 1>::v; };\nKERNEL { C[0] = Grid<800, 800>::v; }",
     "does-not-compile", ""},
    {"macros_without_end",
     "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(x))))\nKERNEL { B(B(C[0] += 1;)) }",
     "does-not-compile", ""},
    {"messages_without_end",
     "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(x)))\n#pragma message \"m\"\nKERNEL { B(B(#)) }",
     "does-not-compile", ""},
    {"huge_variable", "__device__ char memory[1ull << 42];\nKERNEL { memory[size] = 1; }", "does-not-compile",
     "more than there is memory"},
    {"huge_initial_value", "__device__ char memory[1ull << 31] = {1};\nKERNEL { memory[size] = 1; }",
     "does-not-compile", ""},
    {"huge_frame",
     "KERNEL { volatile char memory[1 << 24]; for (int i = 0; i < 1 << 24; ++i) memory[i] = 1; C[0] = "
     "memory[size]; }",
     "stack-overflow", ""},
    {"recursion_without_end",
     "__device__ int f(int n) { return n < 0 ? 0 : f(n + 1) + 1; }\nKERNEL { C[0] = f(1); }",
     "stack-overflow", ""},
    {"prints_without_end", "KERNEL { for (;;) printf(\"%d\\n\", size); }", "too-much-output", ""},
    {"loops_without_end", "KERNEL { for (volatile int i = 0;; ++i) {} }", "time-limit", ""},
    {"allocates_without_end", "KERNEL { for (;;) C[0] = *(float*)malloc(1 << 20); }", "", ""},
    // Files that are read.
    {"includes_a_secret", "#include \"/etc/passwd\"\nKERNEL {}", "does-not-compile", ""},
    {"includes_its_canary", "#include \"canary\"\nKERNEL {}", "does-not-compile", ""},
    {"includes_in_disguise", "%:include \"/etc/passwd\"\nKERNEL {}", "does-not-compile", ""},
    {"includes_by_macro", "#define FILE \"/etc/passwd\"\n#include FILE\nKERNEL {}", "does-not-compile", ""},
    {"includes_spliced", "#inc\\\nlude \"/etc/passwd\"\nKERNEL {}", "does-not-compile", ""},
};

class HostileFile : public testing::TestWithParam<Hostile> {
 protected:
  void SetUp() override {
    if (!simulator::simulator_with("g++")) GTEST_SKIP() << "g++ is not installed";
    std::string pattern = (fs::temp_directory_path() / "gpulab-hostile-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::ofstream(folder_ / "canary") << "alive";
    std::string text = GetParam().text;
    text.replace(text.find("KERNEL"), 6, kernel_head);
    std::ofstream(folder_ / "first_kernel.cu") << text;
  }
  void TearDown() override {
    if (folder_.empty()) return;
    std::string content;
    std::ifstream(folder_ / "canary") >> content;
    EXPECT_EQ(content, "alive");
    const auto files = std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    EXPECT_EQ(files, 2);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process was left behind";
    fs::remove_all(folder_);
  }

  fs::path folder_;
};

TEST_P(HostileFile, IsAnsweredWithASentence) {
  const CheckResult result =
      check_exercise(find_exercise("first-kernel").exercise, folder_ / "first_kernel.cu",
                     {.time_limit_s = 30, .with_gpu = false});
  EXPECT_NE(result.verdict, Verdict::right);
  EXPECT_FALSE(result.summary.empty());
  if (*GetParam().pattern) EXPECT_EQ(result.pattern, GetParam().pattern) << result.summary;
  EXPECT_TRUE(contains(result.summary, GetParam().words));
  EXPECT_FALSE(contains(result.summary + result.compiler_log, "root:")) << result.compiler_log;
}

INSTANTIATE_TEST_SUITE_P(All, HostileFile, testing::ValuesIn(hostile_files),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gpulab::check
