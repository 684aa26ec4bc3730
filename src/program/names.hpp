#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/compiler.hpp"
#include "program/toolkit_headers.hpp"
#include "source/program_files.hpp"

namespace gpulab::program {

// CUDA's names that the program uses and the simulated device lacks: a sentence that lists them, and the
// place of the first. Empty if there are none.
struct Missing {
  std::string sentence;
  std::string file;
  int line = 0;
};
Missing missing_in(const std::vector<source::SourceFile>& sources, const ToolkitHeaders& toolkit);
// Throws NotOffered if the code still uses such a name after preprocessing. So unused macros, inactive #if
// branches and #includes alone may have them.
void refuse_missing(const std::vector<source::SourceFile>& sources, const std::string& preprocessed,
                    const ToolkitHeaders& toolkit);
// Returns the words of a text, between blanks.
std::set<std::string, std::less<>> words_in(std::string_view text);
// Returns whether an empty file replaces a header: the prelude has its names, or the device lacks them.
bool is_stubbed(std::string_view header);

// A program that an exercise judges runs in the process that watches it. So it may contain no assembly, may
// not switch off watching, and may call only functions of the C and C++ libraries that compute, print or
// allocate memory. A program that a user runs has none of these restrictions.

// Refuses text that an exercise's program may not contain. Reads all preprocessor branches and the text of
// macros. A ## that joins tokens is refused, since the joined word could not be checked. Throws CompileError
// with the line.
void require_exercise_text(const source::SourceFile& source);
// Refuses a function that an exercise's program may not call. Throws CompileError with the line.
[[noreturn]] void refuse_exercise_function(const source::SourceFile& source, std::string name);
// Refuses calls of functions that an exercise's program may not call. Throws CompileError with the line.
void require_exercise_object(const source::SourceFile& source, const CompiledProgram& compiled);

}  // namespace gpulab::program
