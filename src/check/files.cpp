#include "check/files.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "check/answers.hpp"
#include "check/check_formats.hpp"
#include "device/compile_cache.hpp"
#include "device/libraries.hpp"
#include "lesson/lesson.hpp"
#include "run/run_options.hpp"
#include "simulator/compile/compiler.hpp"
#include "source/code.hpp"
#include "source/cuda_text.hpp"
#include "source/device_code.hpp"
#include "source/source_parts.hpp"

namespace gpulab::check {
namespace {

namespace fs = std::filesystem;

// Returns "shared_histogram.cu" for itself and for shared_histogram.1.cu.
std::string own_name_of(const fs::path& file) {
  const std::string text = file.filename().string();
  source::Scanner scanner(text);
  const std::string name(scanner.take_word());
  source::Scanner number = scanner;
  if (number.take(".") && !number.take_digits().empty()) scanner = number;
  const bool is_exercise_file = !name.empty() && (scanner.rest() == ".cu" || scanner.rest() == ".txt");
  return is_exercise_file ? name + std::string(scanner.rest()) : "";
}

// Returns the names and aliases of the lessons that have an exercise.
std::vector<std::string> exercise_names() {
  const auto exercises = all_exercises();
  std::vector<std::string> names;
  for (const Lesson* lesson : known_lessons()) {
    if (std::ranges::find(exercises, lesson->name, &Exercise::lesson) == exercises.end()) continue;
    names.push_back(lesson->name);
    names.insert(names.end(), lesson->aliases.begin(), lesson->aliases.end());
  }
  return names;
}

// Refuses a file that has no exercise's name.
[[noreturn]] void refuse_file(const std::string& word) {
  std::error_code ignored;
  if (fs::is_regular_file(word, ignored) &&
      source::refused_main(source::Code(run::read_text_file(word, run::kernel_file))))
    throw UsageError(fmt::format(
        "{} is a whole program, and of no exercise; gpulab run {} runs and watches it", word, quoted(word)));
  if (fs::exists(word, ignored))
    throw UsageError(fmt::format(
        "the name of {} does not say which exercise it is: write gpulab check {} --exercise LESSON, or, for a kernel of your own, add a main() and gpulab run --inspect {}; gpulab progress lists the exercises",
        word, quoted(word), quoted(word)));
  const std::string meant = nearest_name(replaced(fs::path(word).stem(), '_', '-'), exercise_names());
  if (meant.empty())
    throw UsageError(fmt::format(
        "there is no file {}; gpulab progress lists the exercises, and gpulab start LESSON writes the file of one",
        word));
  const Exercise exercise = find_exercise(meant).exercise;
  throw UsageError(
      fmt::format("there is no file {}; gpulab start {} writes {}", word, exercise.lesson, exercise.file));
}

[[noreturn]] void refuse(const std::string& word) {
  std::error_code ignored;
  if (fs::is_directory(word, ignored))
    throw UsageError(fmt::format(
        "{} is a folder; go there (cd {}) and type gpulab check, to check all its exercises", word, word));
  if (is_file_name(word) || word.ends_with(".txt")) refuse_file(word);
  throw UsageError(fmt::format("there is no exercise '{}'; {}", word,
                               suggestion(word, exercise_names(), "gpulab progress lists the exercises")));
}

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

fs::path numbered(const fs::path& file, unsigned number) {
  return fs::path(file).replace_extension(std::to_string(number) + file.extension().string());
}

}  // namespace

bool is_file_name(const std::string& word) {
  return word.find('/') != std::string::npos || word.ends_with(".cu");
}

fs::path ExerciseFile::folder() const {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

ExerciseFile ExerciseFile::with_own_name() const {
  return {exercise, fs::path(path).replace_filename(exercise.file)};
}

ExerciseFile find_exercise(const std::string& word) {
  const auto lessons = known_lessons();
  const auto lesson =
      std::ranges::find_if(lessons, [&](const Lesson* candidate) { return candidate->is_called(word); });
  for (const Exercise& exercise : all_exercises()) {
    if (lesson != lessons.end() && exercise.lesson == (*lesson)->name) return {exercise, exercise.file};
    if (word == fs::path(exercise.file).stem()) return {exercise, exercise.file};
    if (own_name_of(word) == exercise.file) return {exercise, word};
  }
  if (lesson != lessons.end())
    throw UsageError(fmt::format(
        "{} has no exercise among those in use; gpulab {} runs it, and gpulab progress lists the exercises",
        (*lesson)->name, (*lesson)->name));
  refuse(word);
}

std::vector<ExerciseFile> find_exercises(const std::string& word) {
  const ExerciseFile first = find_exercise(word);
  std::vector<ExerciseFile> all{first};
  const bool is_lesson = first.path == first.exercise.file && own_name_of(word) != first.exercise.file;
  for (const Exercise& exercise : all_exercises())
    if (is_lesson && exercise.lesson == first.exercise.lesson && exercise.name != first.exercise.name)
      all.push_back({exercise, exercise.file});
  return all;
}

std::vector<ExerciseFile> exercises_in(const fs::path& folder) {
  std::vector<ExerciseFile> found;
  std::error_code ignored;
  for (const Exercise& exercise : all_exercises()) {
    const fs::path file = folder == "." ? fs::path(exercise.file) : folder / exercise.file;
    if (fs::exists(file, ignored)) found.push_back({exercise, file});
  }
  return found;
}

bool write_starter(const ExerciseFile& exercise) {
  return create_file(exercise.path, exercise.exercise.starter);
}

std::optional<fs::path> restore_starter(const ExerciseFile& exercise) {
  const fs::path& file = exercise.path;
  if (write_starter(exercise) || content_of(file) == exercise.exercise.starter) return std::nullopt;
  unsigned number = 1;
  while (!add_name(file, numbered(file, number))) ++number;
  replace_file(file, exercise.exercise.starter);
  return numbered(file, number);
}

device::KernelSource learner_file(const std::filesystem::path& path) {
  return {path.string(), run::read_text_file(path, run::kernel_file)};
}

device::KernelSource learner_file(const Exercise& exercise, const std::filesystem::path& path) {
  constexpr run::TextFileKind program{"a program", "a main() and kernels"};
  return {path.string(), run::read_text_file(path, exercise.has_questions() ? answer_sheet
                                                   : exercise.is_program()  ? program
                                                                            : run::kernel_file)};
}

device::KernelSource solution_file(const Exercise& exercise) {
  const Lesson& lesson = lesson_of(exercise);
  return run::KernelFiles(lesson, std::nullopt).of(run::find_variant(lesson, lesson.solution));
}

std::string course_file_of(const Exercise& exercise) {
  if (exercise.has_questions()) return answered_sheet(exercise);
  if (exercise.is_program()) return exercise.solution;
  return source::source_with_used_parts(solution_file(exercise).text, source::kernel_names(exercise.starter));
}

namespace {

using Lines = std::vector<std::string>;

std::size_t margin_of(const std::string& line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

// Returns the index of the first line to be replaced: in that kernel, or anywhere if the kernel's name is
// empty. Ignores indentation.
std::size_t first_replaced_line(const Lines& lines, const TextEdit& edit, const std::string& kernel) {
  const auto search = [&](auto begin) {
    return std::ranges::search(begin, lines.end(), edit.before.begin(), edit.before.end(), {}, trimmed,
                               trimmed);
  };
  const auto found = search(std::ranges::find_if(lines, [&](const std::string& line) {
    return kernel.empty() || line.find(" " + kernel + "(") != std::string::npos;
  }));
  const bool is_ambiguous = kernel.empty() && !found.empty() && !search(found.begin() + 1).empty();
  if (edit.before.empty() || is_ambiguous)
    throw UsageError(edit.place + ": more than one place fits; add a line beside it that is there already");
  const auto is_missing = [&](const std::string& wanted) {
    return std::ranges::find(lines, trimmed(wanted), trimmed) == lines.end();
  };
  const auto missing = std::ranges::find_if(edit.before, is_missing);
  if (found.empty() && missing == edit.before.end())
    throw UsageError(edit.place +
                     ": the lines to be replaced and those beside them do not follow each other there");
  if (found.empty())
    throw UsageError(fmt::format("{}: there is no line '{}' to be replaced, or beside one", edit.place,
                                 trimmed(*missing)));
  return static_cast<std::size_t>(found.begin() - lines.begin());
}

}  // namespace

std::string edited(const std::string& text, const std::vector<TextEdit>& edits, const std::string& kernel) {
  Lines lines = lines_of(text);
  for (const TextEdit& edit : edits) {
    const auto at = lines.begin() + static_cast<std::ptrdiff_t>(first_replaced_line(lines, edit, kernel));
    const std::string margin = at->substr(0, margin_of(*at));
    Lines replacement;
    for (const std::string& line : edit.after) {
      std::string& shifted = replacement.emplace_back(margin);
      const std::size_t width = margin.size() + margin_of(line), old_margin = margin_of(edit.before.front());
      shifted.resize(line.empty() ? 0 : width - std::min(width, old_margin), ' ');
      shifted += line.substr(margin_of(line));
    }
    const auto after = lines.erase(at, at + static_cast<std::ptrdiff_t>(edit.before.size()));
    lines.insert(after, replacement.begin(), replacement.end());
  }
  std::string result;
  for (const std::string& line : lines) result += line + "\n";
  return result;
}

std::vector<fs::path> mistake_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "mistakes", none))
    if (entry.path().extension() == ".cu" || entry.path().extension() == ".diff")
      files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string said_in_mistake(const std::string& text, const std::string& word) {
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with("//") && !line.starts_with('#')) break;
    const std::size_t at = line.find_first_not_of("/# ");
    if (at != std::string::npos && line.compare(at, word.size(), word) == 0)
      return trimmed(line.substr(at + word.size()));
  }
  return "";
}

namespace {

// Joins a sentence such as "because: ..." that the first lines of a mistake break; later lines keep their
// numbers.
std::string with_joined_sentences(const std::string& text) {
  static const std::regex label("//\\s*[a-z][a-z0-9 -]*: .*");
  static const std::regex sentences("//\\s*(text|because|not [a-z0-9-]+): .*");
  std::string joined;
  std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = 1, sentence = 0; i < lines.size() && lines[i].starts_with("//"); ++i) {
    const bool begins = std::regex_match(lines[i], label);
    if (begins) sentence = i;
    if (begins || !std::regex_match(lines[sentence], sentences)) continue;
    lines[sentence] += " " + trimmed(lines[i].substr(2));
    lines[i] = "//";
  }
  for (const std::string& line : lines) joined += line + "\n";
  return joined;
}

}  // namespace

std::string mistake_text(const fs::path& file, const std::string& text, const std::string& solution) {
  if (file.extension() == ".cu") return with_joined_sentences(text);
  if (file.extension() != ".diff") return text;
  std::string head;
  std::vector<TextEdit> edits;
  for (int number = 0; const std::string& line : lines_of(text)) {
    const std::string place = fmt::format("{}:{}", file.string(), ++number);
    const char sign = line.empty() ? ' ' : line.front();
    if (line.starts_with("@@")) {
      edits.push_back({place, {}, {}});
    } else if (edits.empty()) {
      head += line + "\n";
    } else {
      if (sign != ' ' && sign != '-' && sign != '+')
        throw UsageError(place + ": a line of an edit begins with a space, - or +");
      const std::string rest = line.substr(line.empty() ? 0 : 1);
      if (sign != '+') edits.back().before.push_back(rest);
      if (sign != '-') edits.back().after.push_back(rest);
    }
  }
  if (edits.empty()) throw UsageError(file.string() + ": there is no line @@, below which an edit begins");
  return with_joined_sentences(head) + edited(solution, edits);
}

std::string reason_in(const fs::path& folder, const std::string& learners_text) {
  const source::Code code(learners_text);
  const auto is_learners = [&](const std::string& mistake) {
    const source::Code other(mistake);
    return std::ranges::equal(code.tokens(), other.tokens(), {}, &source::CodeToken::text,
                              &source::CodeToken::text);
  };
  for (const fs::path& file : mistake_files(folder)) try {
      const std::string mistake =
          mistake_text(file, learner_file(file).text, learner_file(folder / "solution.cu").text);
      if (is_learners(mistake)) return said_in_mistake(mistake, "because: ");
    } catch (const UsageError&) {
      continue;  // gpulab exercise check tells the instructor
    }
  return "";
}

namespace {

// Returns whether a file gets this part by an #include of the header, and by no other header.
bool is_of_header(const EmbeddedFile& part, const std::string& header) {
  return device::is_needed_for(part.text, {device::word_for_header(header)}) &&
         !device::is_needed_for(part.text, {device::word_for_header("any other")});
}

// Removes the last parameter of barriers and shuffles, with which the prelude passes the line of the call to
// the simulator: CUDA's functions lack it. Only the simulator's own functions keep it.
std::string without_line_parameters(const std::string& text) {
  static const std::regex parameter("(?:, |(\\())GPULAB_(?:LINE|HERE)\\)");
  static const std::regex argument("(?:, |(\\())line\\)"), kept_argument("(, |\\()line\\)");
  static const std::regex of_simulator(
      "gpulab_(barrier|wait|shuffle|ballot|match|reduce|active_mask|from_lane)\\(");
  std::string result;
  for (std::string line : lines_of(text)) {
    // "$010)" is group 01 and "0)".
    line = std::regex_search(line, of_simulator) ? std::regex_replace(line, kept_argument, "$010)")
                                                 : std::regex_replace(line, argument, "$1)");
    result += std::regex_replace(line, parameter, "$1)") + "\n";
  }
  return result;
}

// Declarations of functions that only a GPU has, for the course's kernels that use them.
constexpr const char* gpu_only_declarations =
    "// The address in shared memory, as PTX takes it.\nsize_t __cvta_generic_to_shared(const void* address);\n";

// Returns all files of the prelude by name: a file that is open in an editor may come to use any of them.
std::map<std::string, std::string> prelude_files() {
  std::map<std::string, std::string> files;
  for (const std::string& header : device::empty_headers()) files["include/" + header] = "";
  std::string& prelude = files["gpulab.hpp"];
  prelude =
      "// CUDA's additions to C++, as the simulator of gpulab has them. Made by gpulab editor; changes are lost.\n";
  for (const EmbeddedFile& part : simulator::compile::prelude_parts()) {
    const std::string text = without_line_parameters(part.text);
    bool is_included = false;
    for (const std::string& header : device::cuda_headers()) {
      if (!is_of_header(part, header)) continue;
      const std::string guard = "GPULAB_HAS_" + std::string(part.name, std::string_view(part.name).find('.'));
      files["include/" + header] += fmt::format("#ifndef {}\n#define {}\n{}#endif\n", guard, guard, text);
      is_included = true;
    }
    if (!is_included) prelude += text;
  }
  for (const EmbeddedFile& part : device::library_parts()) prelude += part.text;
  prelude += gpu_only_declarations;
  return files;
}

// Points the link to another target; readers see the old target or the new one.
void point_to(const fs::path& link, const fs::path& target) {
  std::error_code failed;
  if (fs::read_symlink(link, failed) == target) return;
  const fs::path temporary = link.string() + "." + std::to_string(::getpid());
  fs::create_symlink(target, temporary, failed);
  if (!failed) fs::rename(temporary, link, failed);
  if (!failed) return;
  fs::remove(temporary, failed);
  throw UsageError("cannot make the link " + link.string() + "; remove what has that name");
}

}  // namespace

fs::path editor_prelude() {
  device::CompileCache cache;
  if (cache.is_temporary())
    throw UsageError("there is no cache for what the editor reads: set XDG_CACHE_HOME to a folder of yours");
  const auto files = prelude_files();
  std::string key = "editor";
  for (const auto& [name, text] : files) key += fmt::format("\n{}\n{}", name, text);
  const fs::path entry = cache.entry(key, [&](const fs::path& folder) {
    for (const auto& [name, text] : files) {
      fs::create_directories((folder / name).parent_path());
      replace_file(folder / name, text);
    }
  });
  const fs::path link = cache.folder() / "editor";
  point_to(link, entry.filename());
  return link;
}

}  // namespace gpulab::check
