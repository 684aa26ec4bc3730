#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/exercise.hpp"
#include "core/lesson.hpp"

namespace gpulab {

// Every lesson of the program, in the order in which the course teaches them. The table behind it is
// generated at configure time from the folders in exercises/ (cmake/lessons.cmake): nothing registers itself.
std::vector<Lesson> all_lessons();

// The kernel files, and the programs of exercises/LESSON/programs/, as they were when the program was built,
// by file name.
struct EmbeddedFile {
  const char* name;
  const char* text;
};
const std::vector<EmbeddedFile>& embedded_kernels();

// The files of data/editors/, by file name: what `gpulab editor` writes.
const std::vector<EmbeddedFile>& embedded_editor_files();

// The text of exercises/LESSON/lesson.txt, by the name of the folder.
const char* embedded_lesson_text(std::string_view folder);

// The text of exercises/LESSON/demo.txt, by the name of the lesson; empty where it has none.
const char* embedded_demo_text(std::string_view lesson);

// A typical mistake, as a learner's file: exercises/LESSON/mistakes/NAME.cu, or NAME.txt for questions.
struct EmbeddedMistake {
  const char* exercise;
  const char* name;
  const char* text;
};
const std::vector<EmbeddedMistake>& embedded_mistakes();

// The text of data/recorded-figures.csv.
const char* embedded_recorded_figures();

// The texts of exercises/LESSON/starter.cu and hints.txt, by the name of the folder, and of solution.cu where
// a whole program is to be written; or of questions.txt, hints.txt and answers.txt. A program beside
// questions has program_hints.txt.
struct EmbeddedExercise {
  const char* folder;
  ExerciseKind kind;
  bool is_second;  // of its lesson, behind the questions
  const char* starter;
  const char* hints;
  const char* solution;  // empty for a kernel to write
};
const std::vector<EmbeddedExercise>& embedded_exercises();

// What there is to be done by a learner, in the order of the lessons.
std::vector<Exercise> all_exercises();

}  // namespace gpulab
