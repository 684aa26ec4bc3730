#include "grade/submissions.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "core/cuda_text.hpp"
#include "core/registry.hpp"

namespace gpulab::grade {
namespace {

using Tokens = std::vector<std::string>;

// Names that mean the same to everybody.
bool is_language(const std::string& word) {
  static const std::set<std::string> words{
      "alignas",   "auto",     "bool",     "break",   "case",     "char",        "class",     "const",
      "constexpr", "continue", "default",  "do",      "double",   "else",        "enum",      "extern",
      "false",     "float",    "for",      "half",    "if",       "inline",      "int",       "long",
      "namespace", "nullptr",  "operator", "private", "public",   "return",      "short",     "signed",
      "sizeof",    "static",   "struct",   "switch",  "template", "true",        "typedef",   "typename",
      "union",     "unsigned", "using",    "void",    "volatile", "while",       "threadIdx", "blockIdx",
      "blockDim",  "gridDim",  "warpSize", "float2",  "float4",   "size_t",      "int64_t",   "uint32_t",
      "std",       "uint64_t", "int32_t",  "uint8_t", "goto",     "static_cast", "dim3",      "INFINITY"};
  return words.contains(word) || word.starts_with("__");
}

Tokens bare_tokens(const std::string& text) {
  Tokens tokens;
  int parentheses = 0;
  for (const Token& token : cuda_tokens(text)) {
    if (token.kind == TokenKind::space || token.kind == TokenKind::comment) continue;
    const bool includes =
        token.kind == TokenKind::directive && token.text.find("include") != std::string::npos;
    // An empty statement changes nothing; of a loop's two semicolons the second one is none.
    const bool is_empty = token.text == ";" && parentheses == 0 && !tokens.empty() &&
                          (tokens.back() == ";" || tokens.back() == "{" || tokens.back() == "}");
    if (token.text == "(") ++parentheses;
    if (token.text == ")" && parentheses > 0) --parentheses;
    if (!includes && !is_empty) tokens.emplace_back(token.text);
  }
  return tokens;
}

bool is_name(const std::string& token) {
  return is_word_character(token.front()) && !std::isdigit(static_cast<unsigned char>(token.front()));
}

}  // namespace

Tokens tokens_without_own_names(const std::string& text) {
  Tokens tokens = bare_tokens(text);
  const auto at = [&](std::size_t i) { return i < tokens.size() ? tokens[i] : std::string(); };
  std::map<std::string, std::string> own;
  Tokens result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string &token = tokens[i], before = i > 0 ? tokens[i - 1] : "";
    // A function that is called before it is defined, or never, is somebody else's: atomicAdd, min.
    const bool is_defined_here = is_name(before + " ") && before != "return" && before != "else";
    const bool is_known_call = at(i + 1) == "(" && !own.contains(token) && !is_defined_here;
    if (!is_name(token) || is_language(token) || before == "." || is_known_call)
      result.push_back(token);
    else
      result.push_back(own.try_emplace(token, "$" + std::to_string(own.size() + 1)).first->second);
  }
  return result;
}

namespace {

// How many there are of a kind that the other has not, or fewer. Names count as one kind: which they are
// depends on those before them.
std::size_t tokens_beyond(const Tokens& tokens, const Tokens& starter) {
  std::map<std::string, int> left;
  const auto kind = [](const std::string& token) { return token.front() == '$' ? "$" : token; };
  for (const std::string& token : starter) ++left[kind(token)];
  return static_cast<std::size_t>(
      std::ranges::count_if(tokens, [&](const std::string& token) { return left[kind(token)]-- <= 0; }));
}

void add_equal(const Exercise& exercise, const std::vector<Submission>& submissions, const Tokens& solution,
               std::vector<EqualFiles>& all) {
  const Tokens starter = tokens_without_own_names(exercise.starter);
  std::set<std::string> as_starter, as_solution;
  std::map<Tokens, std::set<std::string>> as_others;
  for (const Submission& one : submissions) {
    if (one.row.exercise != exercise.name || one.text.empty()) continue;
    const Tokens tokens = tokens_without_own_names(one.text);
    if (tokens == starter)
      as_starter.insert(one.row.learner);
    else if (tokens_beyond(tokens, starter) >= min_own_tokens)
      (tokens == solution ? as_solution : as_others[tokens]).insert(one.row.learner);
  }
  const auto add = [&](EqualFiles::To to, const std::set<std::string>& learners, std::size_t least) {
    if (learners.size() >= least) all.push_back({exercise.name, to, {learners.begin(), learners.end()}});
  };
  add(EqualFiles::To::the_starter, as_starter, 1);
  add(EqualFiles::To::the_solution, as_solution, 1);
  for (const auto& [tokens, learners] : as_others) add(EqualFiles::To::each_other, learners, 2);
}

}  // namespace

std::vector<EqualFiles> equal_submissions(const std::vector<Submission>& submissions,
                                          const std::function<std::string(const Exercise&)>& solution_of) {
  std::vector<EqualFiles> all;
  for (const Exercise& exercise : all_exercises())
    if (!exercise.has_questions())
      add_equal(exercise, submissions, tokens_without_own_names(solution_of(exercise)), all);
  return all;
}

}  // namespace gpulab::grade
