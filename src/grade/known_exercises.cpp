#include "grade/known_exercises.hpp"

#include <algorithm>

#include "core/registry.hpp"
#include "core/text.hpp"
#include "learn/answers.hpp"
#include "run/run_options.hpp"
#include "simulator/compile/compiler.hpp"
#include "simulator/compile/source_scan.hpp"

namespace gpulab::grade {

std::string in_lower_case(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter += 'a' - 'A';
  return text;
}

std::vector<KnownExercise> known_exercises() {
  std::vector<KnownExercise> known;
  for (const Exercise& exercise : all_exercises())
    for (const Lesson& lesson : all_lessons()) {
      if (lesson.name != exercise.lesson) continue;
      KnownExercise one{.exercise = exercise, .names = lesson.aliases};
      one.names.push_back(lesson.name);
      if (exercise.kind == ExerciseKind::kernel)
        one.kernel = run::find_variant(lesson, lesson.solution).kernel;
      if (exercise.is_program())
        one.kernel = simulator::compile::scan_source(exercise.starter).kernels.front();
      if (exercise.has_questions())
        for (const auto& asked : learn::asked_questions(exercise.starter)) one.questions.insert(asked.name);
      known.push_back(std::move(one));
    }
  return known;
}

std::string without_number(const std::string& name) {
  const std::filesystem::path file(name), stem = file.stem();
  const std::string number = stem.extension();
  const bool is_number = number.size() > 1 && number.find_first_not_of("0123456789", 1) == std::string::npos;
  const bool is_numbered = is_number && (file.extension() == ".cu" || file.extension() == ".txt");
  return is_numbered ? stem.stem().string() + file.extension().string() : name;
}

namespace {

// "histogram-final" of "Histogram final (1).cu".
std::string as_words(const std::filesystem::path& file) {
  std::string words;
  for (const char letter : in_lower_case(file.stem())) {
    const bool is_of_word = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (is_of_word || !words.ends_with('-')) words += is_of_word ? letter : '-';
  }
  return words;
}

}  // namespace

std::string meant_by_name(const std::filesystem::path& file, const std::vector<KnownExercise>& known) {
  const std::string words = as_words(file);
  const KnownExercise* best = nullptr;
  std::size_t longest = 0;
  std::vector<std::string> names;
  for (const KnownExercise& one : known)
    for (const std::string& name : one.names) {
      names.push_back(name);
      if (name.size() > longest && words.find(name) != std::string::npos) best = &one, longest = name.size();
    }
  const std::string near = best ? "" : nearest_name(words, names);
  for (const KnownExercise& one : known)
    if (!best && std::ranges::find(one.names, near) != one.names.end()) best = &one;
  if (!best) return "";
  // A lesson may have questions and a program, which end differently.
  for (const KnownExercise& one : known)
    if (one.exercise.lesson == best->exercise.lesson &&
        std::filesystem::path(one.exercise.file).extension() == file.extension())
      return one.exercise.name;
  return best->exercise.name;
}

std::vector<std::string> told_by_text(const std::string& text, const std::vector<KnownExercise>& known) {
  std::vector<std::string> exercises;
  const std::vector<std::string> kernels = text.find("__global__") == std::string::npos
                                               ? std::vector<std::string>{}
                                               : simulator::compile::scan_source(text).kernels;
  std::set<std::string> questions;
  if (text.find("answer") != std::string::npos)
    for (const auto& asked : learn::asked_questions(text)) questions.insert(asked.name);
  for (const KnownExercise& one : known) {
    const bool has_kernel = std::ranges::find(kernels, one.kernel) != kernels.end();
    const auto same = std::ranges::count_if(
        one.questions, [&](const std::string& question) { return questions.contains(question); });
    if (has_kernel || 2 * static_cast<std::size_t>(same) > one.questions.size())
      exercises.push_back(one.exercise.name);
  }
  return exercises;
}

std::string told_by_name(const std::filesystem::path& file, const std::vector<KnownExercise>& known) {
  const std::string name = without_number(file.filename());
  for (const KnownExercise& one : known)
    if (one.exercise.file == name) return one.exercise.name;
  return "";
}

}  // namespace gpulab::grade
