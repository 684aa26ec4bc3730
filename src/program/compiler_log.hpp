#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/compiler.hpp"
#include "sandbox/sandbox.hpp"
#include "source/launch_text.hpp"

namespace gpulab::program {

// The compiler's messages, with the names of files as the user knows them.
class CompilerLog {
 public:
  CompilerLog(const std::vector<source::SourceFile>& sources, const std::vector<source::RewrittenText>& texts,
              const std::string& compiler, const std::string& log);

  // Throws CompileError if a function or a variable is used that is defined nowhere.
  void refuse_undefined() const;
  // Returns a note for each variable that is used before it has a value.
  const std::vector<ProgramFinding>& unset_variables() const { return unset_; }
  // Returns the places of calls whose value nothing uses.
  const std::vector<SourcePlace>& discarded_results() const { return discarded_results_; }
  // Throws CompileError for a limit that ended the compiler, or for its first error.
  [[noreturn]] void refuse(const sandbox::CommandResult& result) const;

 private:
  struct SourceLine {
    std::size_t source = 0;
    int line = 0;  // 0 if unknown
  };

  // Refuses a name that the header of a library lacks here: "'cublasSgbmv' was not declared in this scope".
  void refuse_missing_of_library() const;
  // Stores the text from behind `words` to the character `end` in `name`, if `name` is empty.
  static void take_name(std::string_view words, const std::string& line, std::string& name,
                        const char* end = "'");
  // Returns whether the line is like ".../0/sum.cu:5: warning: undefined reference to `_Z3sumPf'". Notes the
  // first symbol of such lines that the simulator does not provide.
  bool take_undefined_reference(const std::string& line);
  // Adds a line such as "0/sum.cu:4:5: error: ..." (file 0). Returns whether to keep its continuation lines.
  bool add(const std::string& line, bool is_kept);
  void add_warning(std::size_t source, SourcePlace place, std::string_view warning);
  // Adds a note for "'sum' is used uninitialized" or, if the text shows it too, for "may be used". There is
  // no line if the compiler's line is in a library's function that it has inlined.
  void add_unset(std::size_t source, std::optional<int> line, std::string_view warning);
  // Notes an error or a warning in a library's header. g++ names the user's line before it, clang++ after it.
  void add_from_library(const std::string& line);
  // Reports the error in a header at the user's line that led the compiler there.
  void blame_line_of_user();

  const std::vector<source::SourceFile>& sources_;
  const std::vector<source::RewrittenText>& texts_;
  const std::string compiler_;
  std::string text_;  // the messages, as users see them
  std::string
      context_;  // lines such as "required from here", before the error or the warning that they explain
  std::string first_error_;
  std::string library_error_, library_warning_;  // an error and a warning in a library's header
  std::string undefined_, defined_twice_;        // names that cannot be linked
  std::string missing_library_;                  // that the linker did not find
  std::vector<TextErrors::TextError> errors_;
  std::vector<ProgramFinding> unset_;
  std::vector<SourcePlace> discarded_results_;
  bool is_in_warning_ = false;  // or in notes of one
  SourceLine reached_from_;     // of the latest message
  SourceLine first_error_at_, undefined_at_;
};

}  // namespace gpulab::program
