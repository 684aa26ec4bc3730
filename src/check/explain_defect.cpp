#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "base/text.hpp"
#include "check/checks.hpp"
#include "source/code.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::check {

using source::Code;

std::string line_of(const std::string& text, int number) {
  const std::vector<std::string> lines = lines_of(text);
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return "";
  const std::string& line = lines[static_cast<std::size_t>(number) - 1];
  const std::size_t start = line.find_first_not_of(" \t");
  return start == std::string::npos ? "" : line.substr(start);
}

int column_of(const std::string& text, int number) {
  const std::vector<std::string> lines = lines_of(text);
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return 1;
  const std::size_t start = lines[static_cast<std::size_t>(number) - 1].find_first_not_of(" \t");
  return start == std::string::npos ? 1 : static_cast<int>(start) + 1;
}

namespace {

std::string out_of_bounds(const Defect& defect) {
  return defect.party.access == DefectAccess::load ? "out-of-bounds-read" : "out-of-bounds-write";
}

}  // namespace

std::string pattern_of(const Defect& defect) {
  switch (defect.kind) {
    case DefectKind::missed_barrier:
      return std::string(name_of(DefectKind::divergent_barrier));
    case DefectKind::too_many_accesses:
      return std::string(name_of(DefectKind::time_limit));
    case DefectKind::shared_out_of_bounds:
      if (defect.memory.variable == "extern __shared__")
        return std::string(name_of(DefectKind::not_enough_shared));
      return out_of_bounds(defect);
    case DefectKind::out_of_bounds:
    case DefectKind::array_index:
      return out_of_bounds(defect);
    default:
      return std::string(name_of(defect.kind));
  }
}

namespace {

// Returns whether the line has threadIdx or its like without .x, .y or .z, and that is what was refused.
bool lacks_component(const std::string& line, const std::string& complaint) {
  constexpr std::array vectors{"threadIdx", "blockIdx", "blockDim", "gridDim"};
  if (complaint.find("uint3") == std::string::npos && complaint.find("dim3") == std::string::npos)
    return false;
  bool is_vector = false;
  for (const source::Token& token : source::cuda_tokens(line + " ;")) {
    if (token.kind == source::TokenKind::space || token.kind == source::TokenKind::comment) continue;
    if (is_vector && token.text != ".") return true;
    is_vector = std::ranges::find(vectors, token.text) != vectors.end();
  }
  return false;
}

// Returns whether a compiler says "expected ';'", in any quotation marks.
bool asks_for_semicolon(const std::string& complaint) {
  const std::size_t expected = complaint.find("expected ");
  constexpr std::size_t max_distance = 24;  // also in: expected ‘,’ or ‘;’
  return expected != std::string::npos &&
         complaint.substr(expected, max_distance).find(';') != std::string::npos;
}

}  // namespace

std::string pattern_of_refusal(const Failure& failure, const std::string& text) {
  if (failure.kind == DefectKind::does_not_compile) {
    if (lacks_component(line_of(text, failure.line), failure.complaint)) return "component-missing";
    if (asks_for_semicolon(failure.complaint)) return "missing-semicolon";
  }
  return std::string(name_of(failure.kind));
}

namespace {

// Returns the slip of the pen that begins at that token, if one does.
std::optional<CheckPlace> slip_at(const Code& code, std::size_t at) {
  const std::string word(code.text(at)), line = std::to_string(code[at].line);
  const std::size_t behind = code.after_bracket(at + 1);
  const std::string_view next = code.text(behind + 1);
  if ((word == "if" || word == "for") && code.text(behind) == ";" && next != "else" && next != "}")
    return CheckPlace{.pattern = "stray-semicolon",
                      .text = "the " + word + " in line " + line +
                              " ends at the semicolon behind its bracket, so nothing belongs to it"};
  const bool begins = at > 0 && std::string_view(";{})").find(code.text(at - 1)) != std::string_view::npos;
  if (begins && word.starts_with("__sync") && code.text(at + 1) == ";")
    return CheckPlace{
        .pattern = "barrier-not-called",
        .text = "line " + line + " has " + word + " without brackets, so no thread waits there"};
  return std::nullopt;
}

// Makes a line of the text the cause of what was found.
void blame(int line, const CheckPlace& cause, const Code& code, CheckResult& result) {
  result.pattern = cause.pattern;
  result.summary = cause.text + "; " + result.summary;
  result.line = line;
  result.source = line_of(code.whole(), line);
  result.where.clear();
}

// Returns the name of a kernel's last parameter, if nothing uses it; empty otherwise.
std::string unused_last_parameter(const Code& code) {
  std::size_t at = 0;
  while (at < code.size() && code.text(at) != "__global__") ++at;
  while (at < code.size() && (code.text(at) != "(" || code.text(at - 1).starts_with("__"))) ++at;
  const std::string_view name = code.matching(at) < code.size() ? code.text(code.matching(at) - 1) : "";
  return std::ranges::count(code.tokens(), name, &source::CodeToken::text) == 1 ? std::string(name) : "";
}

// Returns whether a kernel that takes the number for the size does this.
bool fits_number(const CheckResult& result, std::size_t number) {
  const std::string& pattern = result.pattern;
  if (result.line > 0) return pattern.starts_with("out-of-bounds") || pattern.starts_with("uninitialised");
  const std::vector<Difference>& wrong = result.first_differences;
  const bool is_unwritten = !wrong.empty() && wrong.front().is_poison;
  return number < result.size && (!is_unwritten || wrong.front().index - number <= 1);
}

}  // namespace

void name_slip(const Code& code, CheckResult& result) {
  if (result.verdict == Verdict::right || result.verdict == Verdict::not_checked) return;
  for (std::size_t at = 0; at < code.size(); ++at)
    if (const auto slip = slip_at(code, at)) return blame(code[at].line, *slip, code, result);
}

bool name_constant_for_size(const Lesson& lesson, const Code& code, CheckResult& result) {
  constexpr std::uint64_t least = 100, most = std::uint64_t{1} << 24;
  const std::uint64_t number = largest_number_in(code.whole(), most);
  const int line = number < least ? 0 : line_with_limit(lesson, code.whole(), number);
  const std::string size = unused_last_parameter(code);
  if (!lesson.has_size() || line == 0 || number == result.block_size || size.empty()) return false;
  if (!fits_number(result, number)) return false;
  const std::string text =
      fmt::format("line {} has the number {}, and nothing uses {}", line, grouped(number), size);
  blame(line, {.pattern = "constant-for-size", .text = text}, code, result);
  return true;
}

namespace {

// Number of errors that are kept: a missing bracket makes hundreds.
constexpr std::size_t max_errors = 20;

bool is_in_result(const device::Diagnostic& error, const CheckResult& result) {
  return std::ranges::any_of(result.related, [&](const CheckPlace& place) {
    return place.line == error.line && place.text == error.words;
  });
}

// Adds the compiler's errors. The first one is what the result is about, so only its column is new. A note
// stands after the error that it belongs to.
void add_errors(const device::KernelSource& source, CheckResult& result) {
  bool is_first = true;
  for (const device::Diagnostic& each : device::diagnostics(source.name, result.compiler_log)) {
    const bool is_error = each.kind == "error";
    if (is_error && is_first) {
      is_first = false;
      if (each.line == result.line) {
        result.column = each.column;
        continue;
      }
    }
    if (!is_error && (each.kind != "note" || is_first)) continue;
    if (is_in_result(each, result) || result.related.size() >= max_errors) continue;
    result.related.push_back({.line = each.line,
                              .column = each.column,
                              .pattern = is_error ? result.pattern : "",
                              .text = each.words});
  }
}

}  // namespace

void find_places(const device::KernelSource& source, CheckResult& result) {
  result.column = 0;
  if (!result.compiler_log.empty()) add_errors(source, result);
  if (result.column == 0) result.column = column_of(source.text, result.line);
  for (CheckPlace& place : result.related) {
    place.source = line_of(source.text, place.line);
    if (place.column == 0) place.column = column_of(source.text, place.line);
  }
}

namespace {

bool begins_loop(const Code& code, std::size_t at) {
  return code.text(at) == "for" || code.text(at) == "while" || code.text(at) == "do";
}

// Skips lines for the preprocessor, such as #pragma unroll.
std::size_t after_directives(const Code& code, std::size_t at) {
  while (at < code.size() && code[at].kind == source::TokenKind::directive) ++at;
  return at;
}

// Returns the place behind the statement that begins there.
std::size_t end_of_statement(const Code& code, std::size_t at, int depth = 0) {
  constexpr int deepest = 200;  // nesting of statements without braces, more than anybody writes
  at = depth > deepest ? code.size() : after_directives(code, at);
  const std::string_view word = code.text(at);
  if (word == "{") return code.after_bracket(at);
  if (word == "do") return code.after_statement(end_of_statement(code, at + 1, depth + 1));
  if (word != "for" && word != "while" && word != "switch" && word != "if") return code.after_statement(at);
  while (at < code.size() && code.text(at) != "(") ++at;
  at = end_of_statement(code, code.after_bracket(at), depth + 1);
  const std::size_t behind = after_directives(code, at);
  return word == "if" && code.text(behind) == "else" ? end_of_statement(code, behind + 1, depth + 1) : at;
}

// Returns the lines of the statement that begins there.
SourceLoop lines_of_statement(const Code& code, std::size_t at) {
  return {code[at].line, code[end_of_statement(code, at) - 1].line};
}

}  // namespace

std::optional<SourceLoop> innermost_loop(const Code& code, const std::vector<int>& lines) {
  const int first = std::ranges::min(lines);
  // Looks only at the last loops that begin before the lines: nobody nests more.
  constexpr std::size_t most = 200;
  std::deque<std::size_t> begins;
  for (std::size_t at = 0; at < code.size() && code[at].line <= first; ++at) {
    if (!begins_loop(code, at)) continue;
    begins.push_back(at);
    if (begins.size() > most) begins.pop_front();
  }
  std::optional<SourceLoop> innermost;
  for (const std::size_t at : begins) {
    const SourceLoop loop = lines_of_statement(code, at);
    // A later loop around the lines is inside of the one before.
    if (std::ranges::all_of(lines, [&](int line) { return loop.has(line); })) innermost = loop;
  }
  return innermost;
}

namespace {

// Part of a line, as tokens.
struct Span {
  std::size_t begin = 0, end = 0;
};

Span tokens_of_line(const Code& code, int line) {
  const auto [first, last] = std::ranges::equal_range(code.tokens(), line, {}, &source::CodeToken::line);
  return {static_cast<std::size_t>(first - code.tokens().begin()),
          static_cast<std::size_t>(last - code.tokens().begin())};
}

// Returns the variable or array element before that token, from its name on: "counts[input[item]]". Empty if
// something else is there.
Span element_before(const Code& code, const Span& line, std::size_t at) {
  std::size_t begin = at;
  while (begin > line.begin && code.text(begin - 1) == "]" && code.matching(begin - 1) < begin)
    begin = code.matching(begin - 1);
  const bool has_name = begin > line.begin && code.is_word(begin - 1);
  return has_name ? Span{begin - 1, at} : Span{};
}

// Returns whether these symbols stand there, with nothing between them.
bool is_operation(const Code& code, std::size_t at, std::string_view symbols) {
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (code.text(at + i) != symbols.substr(i, 1) || code.begin_of(at + i) != code.begin_of(at) + i)
      return false;
  return true;
}

std::ptrdiff_t uses_of(std::string_view name, const Code& code, const Span& line) {
  std::ptrdiff_t uses = 0;
  for (std::size_t i = line.begin; i < line.end; ++i) uses += code.is_word(i) && code.text(i) == name;
  return uses;
}

// Returns whether the element that is added to is in memory. A pointer that moves to the next element, *p++,
// is not.
bool is_in_memory(const Code& code, std::size_t name, bool is_step) {
  return code.text(name + 1) == "[" || (!is_step && name > 0 && code.text(name - 1) == "*");
}

// Returns whether the line adds to an element of the array, or to the variable, and does nothing else with
// it. The host's arrays have no name here; then any name before [...] or behind * is taken.
bool only_adds_to(const Code& code, const Span& line, std::string_view variable) {
  for (std::size_t at = line.begin; at < line.end; ++at) {
    const bool is_step = is_operation(code, at, "++") || is_operation(code, at, "--");
    if (!is_step && !is_operation(code, at, "+=") && !is_operation(code, at, "-=")) continue;
    const Span element = element_before(code, line, at);
    std::size_t name = element.begin;
    if (element.end == 0) {  // ++counts[bin]
      name = at + 2;
      while (code.text(name) == "*") ++name;
    }
    if (!code.is_word(name) || uses_of(code.text(name), code, line) != 1) continue;
    if (variable.empty() ? is_in_memory(code, name, is_step) : code.text(name) == variable) return true;
  }
  return false;
}

// Returns whether the line does the same, written out: "counts[bin] = counts[bin] + 1".
bool stores_a_sum_in(const Code& code, const Span& line, std::string_view variable) {
  for (std::size_t at = line.begin; at < line.end; ++at) {
    if (code.text(at) != "=") continue;
    const Span element = element_before(code, line, at);
    const std::size_t length = element.end - element.begin, sign = at + 1 + length;
    if (length < 2) continue;  // no element of an array
    bool is_repeated = true;
    for (std::size_t i = 0; i < length; ++i)
      is_repeated &= code.text(element.begin + i) == code.text(at + 1 + i);
    const std::string_view name = code.text(element.begin);
    if (!is_repeated || (code.text(sign) != "+" && code.text(sign) != "-")) continue;
    if (uses_of(name, code, line) == 2 && (variable.empty() || name == variable)) return true;
  }
  return false;
}

bool is_update(const Defect& race, const Code& code) {
  // Dynamic shared memory goes by several names, or by none.
  const std::string& known = race.memory.variable;
  const bool has_name = !known.empty() && std::ranges::all_of(known, source::is_word_character);
  if (race.party.line != race.other->line || race.party.access == DefectAccess::atomic ||
      race.other->access == DefectAccess::atomic)
    return false;
  const Span line = tokens_of_line(code, race.party.line);
  const std::string_view variable = has_name ? known : std::string_view();
  return only_adds_to(code, line, variable) || stores_a_sum_in(code, line, variable);
}

bool are_of_one_block(const Defect& race) {
  return race.party.place && race.other->place && race.party.place->block == race.other->place->block;
}

// Returns whether the line belongs to an if inside of the loop, so that some rounds may skip it.
bool is_conditional(const Code& code, int line, const SourceLoop& loop) {
  for (std::size_t at = 0; at < code.size() && code[at].line <= line; ++at)
    if (code[at].line >= loop.first && code.text(at) == "if" && lines_of_statement(code, at).has(line))
      return true;
  return false;
}

// Explains a race across a barrier in a loop. Both threads have passed the last barrier, so one that is in a
// line above it is in the next round.
std::string a_round_ahead(const Defect& race, const Code& code) {
  const int mine = race.party.line, others = race.other->line, barrier = race.barrier_line;
  if (barrier == 0 || std::min(mine, others) >= barrier || std::max(mine, others) <= barrier) return "";
  const auto loop = innermost_loop(code, {mine, others, barrier});
  if (!loop) return "";
  const std::string before = std::to_string(std::min(mine, others)),
                    after = std::to_string(std::max(mine, others));
  if (is_conditional(code, barrier, *loop))
    return "the barrier in line " + std::to_string(barrier) +
           " does not keep them apart in every round: one is needed between line " + before + " and line " +
           after + ", and between line " + after + " and line " + before + " of the next round";
  const DefectThread& ahead = mine < others ? *race.party.place : *race.other->place;
  return text_of_thread(ahead) +
         " is already in the next round of the loop: nothing makes it wait after the barrier in line " +
         std::to_string(barrier) + "; a barrier is needed between line " + after + " of one round and line " +
         before + " of the next";
}

// Explains a load and a store of one line in a loop without a barrier. Their rounds are not known, and a
// barrier may be in a function that the loop calls.
std::string perhaps_of_two_rounds(const Defect& race, const Code& code) {
  const auto loop = innermost_loop(code, {race.party.line});
  const bool are_both_kinds = race.party.access != race.other->access;
  if (race.kind != DefectKind::shared_race || race.party.line != race.other->line || !are_both_kinds || !loop)
    return "";
  for (const source::CodeToken& token : code.tokens())
    if (token.text == "__device__" || (loop->has(token.line) && token.text.starts_with("__sync"))) return "";
  return "consistent with two rounds of the loop in line " + std::to_string(loop->first) +
         ", with no barrier between them";
}

}  // namespace

RaceInSource race_in_source(const Defect& race, const source::Code& code) {
  const bool is_shared = race.kind == DefectKind::shared_race;
  if (!(is_shared || race.kind == DefectKind::global_race) || !race.other) return {};
  if (is_update(race, code))
    return {is_shared ? "race-shared-update" : "race-global-update",
            "the line reads, adds and stores, and another thread comes in between"};
  if (!are_of_one_block(race)) return {};
  if (const std::string remark = a_round_ahead(race, code); !remark.empty())
    return {is_shared ? "race-shared-loop" : "", remark};
  return {"", perhaps_of_two_rounds(race, code)};
}

}  // namespace gpulab::check
