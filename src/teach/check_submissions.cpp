#include <poll.h>
#include <string.h>
#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "check/checks.hpp"
#include "check/files.hpp"
#include "check/progress.hpp"
#include "lesson/lesson.hpp"
#include "source/code.hpp"
#include "teach/submissions.hpp"

namespace gpulab::teach {
namespace {

struct Running {
  Submission* submission;
  TimeLimit limit;
  std::unique_ptr<ChildWork> process;
};

std::string check_packed(const Submission& submission, const CheckRequest& request) {
  const Exercise exercise = check::find_exercise(submission.row.exercise).exercise;
  return check::packed(check::check_exercise(
      exercise, device::KernelSource{submission.row.file, submission.text},
      {.with_gpu = false, .sandbox = request.sandbox, .trial = {.seed = request.seed}}));
}

void fill_in(const CheckResult& result, GradeRow& row) {
  row.verdict = result.verdict;
  row.pattern = result.pattern;
  row.line = result.line;
  row.seconds = result.seconds;
  row.score = result.verdict == Verdict::right ? 1 : 0;
  if (result.verdict != Verdict::right && result.questions > 0)
    row.score = static_cast<double>(result.right_answers) / static_cast<double>(result.questions);
  row.summary = printable(result.summary);
  if (row.summary.starts_with(right_and_yet)) row.notes.push_back(row.summary);
  for (const std::string& note : result.notes)
    if (note.starts_with(right_and_yet)) row.notes.push_back(printable(note));
}

std::string how_it_ended(const ChildEnd& end, double time_limit_s) {
  if (end.kind == ChildEnd::Kind::time_limit)
    return "the check was stopped after " + with_decimals(time_limit_s, 0) + " s";
  return "the process that checked it ended by itself" +
         (end.signal ? std::string(": ") + ::strsignal(end.signal) : std::string());
}

// Checks that run at the same time, each in a process.
class Pool {
 public:
  Pool(const CheckRequest& request, const std::function<void(Submission&, const CheckResult*)>& done)
      : request_(request), done_(done) {}

  bool is_full() const { return running_.size() >= std::max(request_.jobs, 1U); }
  bool is_empty() const { return running_.empty(); }

  void start(Submission& submission) {
    running_.push_back(
        {&submission, TimeLimit(request_.time_limit_s),
         std::make_unique<ChildWork>([this, &submission] { return check_packed(submission, request_); })});
  }

  // Waits until at least one check has ended, or a second is over. Throws WorkStopped.
  void wait() {
    if (request_.stop.requested()) throw WorkStopped();
    std::vector<pollfd> sources;
    for (const Running& running : running_)
      sources.push_back({.fd = running.process->descriptor(), .events = POLLIN, .revents = 0});
    sources.push_back({.fd = request_.stop.descriptor, .events = POLLIN, .revents = 0});
    ::poll(sources.data(), sources.size(), 1000);
    for (std::size_t i = running_.size(); i-- > 0;) {
      const bool is_answering = sources[i].revents != 0;
      if (is_answering || running_[i].limit.next_slice_ms() == 0) finish(i, is_answering);
    }
  }

 private:
  // Ends one check: waits for a process that has begun to answer, and stops one that has used up its time.
  void finish(std::size_t index, bool is_answering) {
    constexpr double to_answer_s = 20;  // for the rest of the answer, which takes far less
    const Running ended = std::move(running_[index]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(index));
    GradeRow& row = ended.submission->row;
    std::optional<CheckResult> result;
    try {
      const ChildEnd end = ended.process->wait(is_answering ? to_answer_s : 0);
      const bool has_answered = end.kind == ChildEnd::Kind::finished && !end.output.empty();
      if (has_answered)
        result = check::unpacked(end.output);
      else
        row.summary = how_it_ended(end, request_.time_limit_s);
    } catch (const std::runtime_error& error) {
      row.summary = printable(error.what());
    }
    const bool was_judged = result && result->verdict != Verdict::not_checked;
    row.state = was_judged ? SubmissionState::checked : SubmissionState::not_checked;
    if (result) fill_in(*result, row);
    done_(*ended.submission, result ? &*result : nullptr);
  }

  const CheckRequest& request_;
  const std::function<void(Submission&, const CheckResult*)>& done_;
  std::vector<Running> running_;
};

}  // namespace

void check_submissions(const std::vector<Submission*>& submissions, const CheckRequest& request,
                       const std::function<void(Submission&, const CheckResult*)>& done) {
  sandbox::check_support(request.sandbox);
  Pool pool(request, done);
  for (auto next = submissions.begin(); next != submissions.end() || !pool.is_empty();) {
    while (next != submissions.end() && !pool.is_full()) pool.start(**next++);
    pool.wait();
  }
}

namespace {

using Tokens = std::vector<std::string>;

// Returns whether a name is a keyword, a type or a variable of CUDA C++, with the same meaning in every file.
bool is_language_name(const std::string& word) {
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

// Returns the tokens without #include lines and empty statements.
Tokens bare_tokens(const std::string& text) {
  Tokens tokens;
  int parentheses = 0;
  const source::Code code(text);
  for (const source::CodeToken& token : code.tokens()) {
    const bool is_include =
        token.kind == source::TokenKind::directive && token.text.find("include") != std::string::npos;
    // Empty statements change nothing; the semicolons of for (;;), in parentheses, are not statements.
    const bool is_empty = token.text == ";" && parentheses == 0 && !tokens.empty() &&
                          (tokens.back() == ";" || tokens.back() == "{" || tokens.back() == "}");
    if (token.text == "(") ++parentheses;
    if (token.text == ")" && parentheses > 0) --parentheses;
    if (!is_include && !is_empty) tokens.emplace_back(token.text);
  }
  return tokens;
}

bool is_name(const std::string& token) {
  return source::is_word_character(token.front()) && !std::isdigit(static_cast<unsigned char>(token.front()));
}

}  // namespace

Tokens tokens_without_own_names(const std::string& text) {
  Tokens tokens = bare_tokens(text);
  const auto token_at = [&](std::size_t i) { return i < tokens.size() ? tokens[i] : std::string(); };
  std::map<std::string, std::string> placeholders;  // by name: "$1"
  Tokens result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string &token = tokens[i], before = i > 0 ? tokens[i - 1] : "";
    // Names of functions that are called before they are defined, or never defined, stay: atomicAdd, min.
    const bool is_defined_here = !before.empty() && is_name(before) && before != "return" && before != "else";
    const bool is_known_call = token_at(i + 1) == "(" && !placeholders.contains(token) && !is_defined_here;
    if (!is_name(token) || is_language_name(token) || before == "." || is_known_call)
      result.push_back(token);
    else
      result.push_back(
          placeholders.try_emplace(token, "$" + std::to_string(placeholders.size() + 1)).first->second);
  }
  return result;
}

namespace {

// Counts the tokens that the starter lacks, or has fewer of. All names count as one token, since their
// numbers depend on the names before them.
std::size_t tokens_beyond(const Tokens& tokens, const Tokens& starter) {
  std::map<std::string, int> unmatched;
  const auto counted_as = [](const std::string& token) { return token.front() == '$' ? "$" : token; };
  for (const std::string& token : starter) ++unmatched[counted_as(token)];
  return static_cast<std::size_t>(std::ranges::count_if(
      tokens, [&](const std::string& token) { return unmatched[counted_as(token)]-- <= 0; }));
}

void add_equal(const Exercise& exercise, const std::vector<Submission>& submissions, const Tokens& solution,
               std::vector<EqualFiles>& all) {
  const Tokens starter = tokens_without_own_names(exercise.starter);
  std::set<std::string> as_starter, as_solution;
  std::map<Tokens, std::set<std::string>> as_others;
  for (const auto& [row, text] : submissions) {
    if (row.exercise != exercise.name || text.empty()) continue;
    const Tokens tokens = tokens_without_own_names(text);
    if (tokens == starter)
      as_starter.insert(row.learner);
    else if (tokens_beyond(tokens, starter) >= min_own_tokens)
      (tokens == solution ? as_solution : as_others[tokens]).insert(row.learner);
  }
  const auto add = [&](EqualFiles::To to, const std::set<std::string>& learners, std::size_t min_learners) {
    if (learners.size() >= min_learners)
      all.push_back({exercise.name, to, {learners.begin(), learners.end()}});
  };
  add(EqualFiles::To::the_starter, as_starter, 1);
  add(EqualFiles::To::the_solution, as_solution, 1);
  for (const auto& [tokens, learners] : as_others) add(EqualFiles::To::each_other, learners, 2);
}

// Adds sheets that are the course's to the letter: right answers alone are the same for all.
void add_copied_sheets(const Exercise& exercise, const std::vector<Submission>& submissions,
                       const std::string& solution, std::vector<EqualFiles>& all) {
  std::set<std::string> learners;
  for (const auto& [row, text] : submissions)
    if (row.exercise == exercise.name && trimmed(text) == trimmed(solution)) learners.insert(row.learner);
  if (!learners.empty())
    all.push_back({exercise.name, EqualFiles::To::the_solution, {learners.begin(), learners.end()}});
}

}  // namespace

std::vector<EqualFiles> equal_submissions(const std::vector<Submission>& submissions,
                                          const std::function<std::string(const Exercise&)>& solution_of) {
  std::vector<EqualFiles> all;
  for (const Exercise& exercise : all_exercises())
    if (exercise.has_questions())
      add_copied_sheets(exercise, submissions, solution_of(exercise), all);
    else
      add_equal(exercise, submissions, tokens_without_own_names(solution_of(exercise)), all);
  return all;
}

}  // namespace gpulab::teach
