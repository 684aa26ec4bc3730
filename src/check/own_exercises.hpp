#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "device/device.hpp"
#include "lesson/lesson.hpp"

namespace gpulab::check {

// Exercises that an instructor keeps in folders: DIR/NAME/ with exercise.toml, a starter, a solution, hints,
// mistakes and, for a kernel, a reference.

// An expression of the sizes, or a number, and its line in exercise.toml.
struct Formula {
  std::string text;
  int line = 0;
};

// Sizes by name, for the formulas.
using Sizes = std::map<std::string, double>;

// Computes "(width + 31) / 32 * height" with the values of the sizes. Throws UsageError, in a sentence
// without file and line.
double value_of(const std::string& formula, const Sizes& sizes);

// An array of the kernel, as exercise.toml describes it.
struct ArrayFacts {
  std::vector<Formula> length;  // one formula, or two: the width and the height
  std::vector<Formula> range;   // two formulas, from and to, for its random numbers; empty by default
  bool is_cleared = false;      // before each launch
};

// The content of exercise.toml.
struct ExerciseFacts {
  std::filesystem::path file;
  std::string title;
  std::string kernel;    // name of the __global__ function
  std::string work;      // name of the array with an element for each thread; empty by default
  int step = 0;          // position among the exercises
  unsigned block = 256;  // threads
  Formula grid, operations;
  std::optional<double> tolerance = {};  // of float and double; none: derived from the number of terms
  std::vector<Option> sizes = {};        // each is a Count
  std::vector<Option> numbers = {};      // scalars that a check varies, each a Number
  std::map<std::string, ArrayFacts> arrays = {};
  std::map<std::string, Formula> scalars = {};  // those that stay as they are
  std::vector<Demand<KernelRecord>> demands = {};
  std::vector<std::size_t> program_sizes = {};  // of a whole program; empty for a kernel
  bool checks_errors = false;                   // whether a program has to look at every error of the runtime

  bool is_program() const { return !program_sizes.empty(); }
  // Returns "saxpy/exercise.toml, line 4: ".
  std::string place(int line) const;
};

// Reads the file. Throws UsageError, with the line, for what is missing or unknown, or is not TOML.
ExerciseFacts read_exercise_toml(const std::filesystem::path& file);

// A function `void reference(...)` with the parameters of the kernel. It runs as a kernel of one thread,
// watched and in a confined process, because it may come from a stranger.
class ReferenceKernel {
 public:
  ReferenceKernel(device::KernelSource source, Arguments arguments);
  ~ReferenceKernel();

  // Throws Error when the reference does not compile, does not end, or accesses memory wrongly.
  void compute(const std::vector<SizedArray>& arrays, const std::vector<ScalarValue>& scalars,
               const Inputs& inputs, Outputs& outputs);

 private:
  struct ConfinedProcess;

  ConfinedProcess& confined_process();
  void run(ConfinedProcess& process, const std::vector<SizedArray>& arrays,
           const std::vector<ScalarValue>& scalars, const Inputs& inputs, Outputs& outputs) const;

  device::KernelSource source_;
  Arguments arguments_;
  std::unique_ptr<ConfinedProcess> process_;
};

// Fills in the sizes, the problem, the arguments and the solution's launch. Throws UsageError where the facts
// and the reference do not match.
void make_kernel_lesson(const ExerciseFacts& facts, const device::KernelSource& reference, Lesson& lesson);

// Returns how the solution, which has a single launch, is launched at these settings.
ChosenLaunch launch_of_solution(const Lesson& lesson, const Settings& settings);

// Returns the folders with an exercise.toml in a folder, or the folder itself if it has one. Throws
// UsageError if there are none.
std::vector<std::filesystem::path> exercise_folders(const std::filesystem::path& folder);

// Returns "my-sum" for the folders my_sum and my-sum. Throws UsageError for an invalid name, or
// one that a lesson has.
std::string exercise_name(const std::filesystem::path& folder);

// Reads the exercise in a folder. Throws UsageError, in one sentence with file and line.
OwnExercise read_exercise(const std::filesystem::path& folder);

// Reads all exercises of a folder, in their order.
std::vector<OwnExercise> read_exercises(const std::filesystem::path& folder);

// A file of an exercise and the verdict on it.
struct TriedFile {
  std::string name;           // "mistakes/missing_if.cu"
  std::string expected;       // "pass", "fail" or a pattern
  std::string found;          // "pass", or the pattern
  std::string why;            // a sentence if that is not as expected; else empty
  bool lacks_reason = false;  // the file is a mistake without a line "because"
  bool is_named_so = false;   // the file's name, not its first line, says how it should fail
  bool is_remark = false;     // the sentence is a remark, not an error

  bool is_unexpected() const { return !why.empty() && !is_remark; }
};

// Checks the starter, the solution and the mistakes of the exercise in the folder, each as a learner's file;
// the solution also at seeds such as gpulab grade draws. Also lists what is left of the example.
std::vector<TriedFile> try_exercise(const OwnExercise& own, const std::filesystem::path& folder);

// Returns why a demo of the mistakes, or only of those with these names, is not possible: the solution does
// not pass, a mistake does not compile although its first lines do not expect that, or a file lacks the
// exercise's kernel. Otherwise empty.
std::string why_no_demo(const OwnExercise& own, const std::filesystem::path& folder,
                        const std::vector<std::string>& only,
                        const std::function<void(const std::string&)>& progress);

std::string tried_text(const OwnExercise& own, const std::vector<TriedFile>& files, const TextStyle& style);

// Returns the files of data/exercise/, by path, with the placeholder @name@ for the name of the kernel.
const std::vector<EmbeddedFile>& embedded_example_exercise();

// Returns the same files with the kernel's name filled in: what `gpulab exercise new` writes, by path.
std::map<std::string, std::string> example_exercise(const std::string& kernel);

}  // namespace gpulab::check
