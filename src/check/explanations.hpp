#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lesson/result.hpp"

namespace gpulab::check {

// Entry of src/check/pattern_hints.txt: one way to be wrong, which a check or a run can recognise.
struct PatternHint {
  std::string pattern;       // "race-shared"
  std::string summary = {};  // what is wrong, in a few words; empty for what no exercise's mistake shows
  std::string choice = {};   // a demo's choice, if the summary would give the answer away; or empty
  std::string hint = {};     // advice on where to look, in a sentence or two
  std::string wrong_line = {}, right_line = {};  // lines of code, or both empty
  std::string looks_right = {};  // why a wrong kernel's result may be right on a GPU; or empty
  std::string would_look = {};   // how a kernel that has it would look, or what it would do; or empty
  std::vector<std::string> compatible = {};  // patterns that may be true of the same kernel; "everything"
  std::vector<std::string> keywords = {};    // applies only to texts with one of these words; empty: to any
  std::vector<std::vector<std::string>> compilers =
      {};  // parts of compilers' messages, and last the sentence for a line
};

// Patterns under one heading.
struct PatternGroup {
  std::string title;
  std::string found;  // how a check finds them: "by comparing ..."
  std::vector<PatternHint> patterns;
};

// Returns whether a pattern is that one, or a special case of it: race-global-update of race-global.
bool is_kind_of(const std::string& pattern, const std::string& general);

// Returns whether a kernel with the pattern `found` may well have `pattern`, too: one is a special case of
// the other, or can follow from it. Then it is not wrong to name `pattern`.
bool may_be_true_too(const std::string& pattern, const std::string& found);

// Returns whether the pattern can apply to a CUDA text: the text has one of the pattern's keywords, or the
// pattern has none.
bool may_be_in(const std::string& pattern, const std::string& text);

// Returns why a pattern is no wrong choice in a demo of a text in which check finds `found`; empty if it is
// one.
std::string why_no_choice(const std::string& pattern, const std::string& found, const std::string& text);

// Returns every pattern that a check may name, of kernels and of answers.
const std::vector<PatternGroup>& pattern_groups();

// Finds a pattern by its name, in upper or lower case, with hyphens or blanks. Returns null if unknown.
const PatternHint* find_pattern(std::string_view name);

// Returns advice for a kernel, or an answer, whose check showed that pattern; empty for an unknown pattern.
std::string pattern_hint(const std::string& pattern);

// Returns the same for a check's result; empty if the only message is a compiler's, and says what to write.
std::string hint_for(const CheckResult& result);

// Entry of docs/glossary.md.
struct GlossaryTerm {
  std::string name;  // "bank conflict"
  std::vector<std::string> aliases;
  std::string text;  // a line for each paragraph; lines of code are indented
  // Labels and values: {"Kernel", "shared-memory one-slot"}, {"Measured", ...}, and sources.
  std::vector<std::pair<std::string, std::string>> facts;
};

const std::vector<GlossaryTerm>& glossary();

// Finds a term by its name or an alias. Accepts upper and lower case, blanks, hyphens or underscores between
// words, no underscores at the ends, the brackets of a call, and the plural. Returns null for an unknown
// name.
const GlossaryTerm* find_term(std::string_view name);

// Return the texts of the two files, from a source that cmake/embed.cmake generates.
const char* embedded_pattern_hints();
const char* embedded_glossary();

}  // namespace gpulab::check
