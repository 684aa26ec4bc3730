#include <algorithm>
#include <deque>
#include <vector>

#include "base/text.hpp"
#include "check/checks.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::check {

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
    case DefectKind::misaligned:
    case DefectKind::host_pointer:
    case DefectKind::constant_write:
      return out_of_bounds(defect);
    default:
      return std::string(name_of(defect.kind));
  }
}

namespace {

// A bracket that is missing makes hundreds.
constexpr std::size_t most_errors = 20;

bool is_told(const device::Diagnostic& error, const CheckResult& result) {
  return std::ranges::any_of(result.related, [&](const CheckPlace& place) {
    return place.line == error.line && place.text == error.words;
  });
}

// The first error is what the result is about, so only its column is new. What a note belongs to stands
// before it.
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
    if (is_told(each, result) || result.related.size() >= most_errors) continue;
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

// Finds where statements end by their brackets and semicolons, which is all that a loop's extent takes.
class Statements {
 public:
  explicit Statements(const std::string& code) : code_(code) {}

  bool is_word(std::size_t at, const std::string& word) const {
    const std::size_t end = at + word.size();
    return code_.compare(at, word.size(), word) == 0 &&
           (at == 0 || !source::is_word_character(code_[at - 1])) &&
           (end >= code_.size() || !source::is_word_character(code_[end]));
  }

  bool begins_loop(std::size_t at) const {
    return is_word(at, "for") || is_word(at, "while") || is_word(at, "do");
  }

  // Past the last character of the statement that begins at or after that place.
  std::size_t end_of(std::size_t at, int depth = 0) const {
    constexpr int deepest = 200;  // of statements without braces in each other, which nobody writes
    at = depth > deepest ? code_.size() : next(at);
    if (at < code_.size() && code_[at] == '{') return past_bracket(at);
    if (is_word(at, "for") || is_word(at, "while") || is_word(at, "switch"))
      return end_of(past_bracket(code_.find('(', at)), depth + 1);
    if (is_word(at, "do")) return past_semicolon(end_of(at + 2, depth + 1));
    if (!is_word(at, "if")) return past_semicolon(at);
    const std::size_t end = end_of(past_bracket(code_.find('(', at)), depth + 1);
    return is_word(next(end), "else") ? end_of(next(end) + 4, depth + 1) : end;
  }

 private:
  // Lines for the preprocessor, such as #pragma unroll, are passed over.
  std::size_t next(std::size_t at) const {
    for (;; at = std::min(code_.find('\n', at), code_.size())) {
      at = std::min(code_.find_first_not_of(" \t\r\n", at), code_.size());
      if (at >= code_.size() || code_[at] != '#') return at;
    }
  }
  std::size_t past_semicolon(std::size_t at) const {
    for (; at < code_.size() && code_[at] != ';'; ++at)
      if (code_[at] == '{' || code_[at] == '(') at = past_bracket(at) - 1;
    return std::min(at + 1, code_.size());
  }
  // Of the opening bracket at that place, past the one that closes it.
  std::size_t past_bracket(std::size_t at) const {
    int depth = 0;
    for (; at < code_.size(); ++at) {
      if (code_[at] == '(' || code_[at] == '{') ++depth;
      if ((code_[at] == ')' || code_[at] == '}') && --depth == 0) return at + 1;
    }
    return code_.size();
  }

  const std::string& code_;
};

int line_at(const std::string& code, std::size_t place) {
  return 1 +
         static_cast<int>(std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
}

}  // namespace

std::optional<SourceLoop> innermost_loop(const std::string& text, const std::vector<int>& lines) {
  const std::string code = source::strip_comments(text);
  const Statements statements(code);
  // The last ones that begin before the lines: there are never as many in each other.
  constexpr std::size_t most = 200;
  std::deque<std::size_t> begins;
  int line = 1;
  for (std::size_t at = 0;
       at < code.size() && std::ranges::all_of(lines, [&](int one) { return line <= one; }); ++at) {
    line += code[at] == '\n';
    if (!statements.begins_loop(at)) continue;
    begins.push_back(at);
    if (begins.size() > most) begins.pop_front();
  }
  std::optional<SourceLoop> innermost;
  for (const std::size_t at : begins) {
    const SourceLoop loop{line_at(code, at), line_at(code, statements.end_of(at) - 1)};
    // A loop that begins later and has the lines, too, is inside of the one before.
    if (std::ranges::all_of(lines, [&](int line) { return loop.has(line); })) innermost = loop;
  }
  return innermost;
}

namespace {

// The variable or the element of an array that stands before that place: "counts[input[item]]". Empty when it
// is something else.
std::string element_before(const std::string& code, std::size_t place) {
  const auto skip_blanks = [&] {
    while (place > 0 && code[place - 1] == ' ') --place;
  };
  skip_blanks();
  const std::size_t end = place;
  while (place > 0 && code[place - 1] == ']') {
    int depth = 0;
    do {
      --place;
      depth += code[place] == ']' ? 1 : code[place] == '[' ? -1 : 0;
    } while (place > 0 && depth > 0);
    skip_blanks();
  }
  std::size_t begin = place;
  while (begin > 0 && source::is_word_character(code[begin - 1])) --begin;
  return begin == place ? "" : code.substr(begin, end - begin);
}

// "counts" of "counts[input[item]]"
std::string name_of(const std::string& element) {
  return element.substr(0, element.find_first_of(" ["));
}

// The name after that place: "counts" of " counts[bin]".
std::string name_after(const std::string& code, std::size_t place) {
  const std::size_t begin = std::min(code.find_first_not_of(" *", place), code.size());
  std::size_t end = begin;
  while (end < code.size() && source::is_word_character(code[end])) ++end;
  return code.substr(begin, end - begin);
}

// Where the name stands as a word.
std::vector<std::size_t> uses_of(const std::string& name, const std::string& code) {
  std::vector<std::size_t> uses;
  for (std::size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + name.size())) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !source::is_word_character(code[at - 1])) &&
        (end == code.size() || !source::is_word_character(code[end])))
      uses.push_back(at);
  }
  return uses;
}

// Whether the element that is added to by the operation at that place is in memory. A pointer that goes on to
// the next element, *p++, is not.
bool is_in_memory(const std::string& code, std::size_t name, std::size_t past_name, bool is_step) {
  const bool is_element = past_name < code.size() && code[past_name] == '[';
  return is_element || (!is_step && name > 0 && code[name - 1] == '*');
}

// Whether the line adds to an element of the array, or to the variable, and does nothing else with it. Arrays
// of the host's have no name here: then what stands before [...] or behind * is it.
bool only_adds_to(const std::string& code, const std::string& variable) {
  for (const std::string operation : {"+=", "-=", "++", "--"})
    for (std::size_t at = code.find(operation); at != std::string::npos; at = code.find(operation, at + 2)) {
      std::string name = name_of(element_before(code, at));
      if (name.empty()) name = name_after(code, at + 2);  // ++counts[bin]
      if (name.empty()) continue;
      const std::vector<std::size_t> uses = uses_of(name, code);
      if (uses.size() != 1) continue;
      const bool is_step = operation == "++" || operation == "--";
      const bool is_memory = is_in_memory(code, uses[0], uses[0] + name.size(), is_step);
      if (variable.empty() ? is_memory : name == variable) return true;
    }
  return false;
}

// The same in full: "counts[bin] = counts[bin] + 1".
bool stores_a_sum_in(const std::string& code, const std::string& variable) {
  for (std::size_t at = code.find('='); at != std::string::npos; at = code.find('=', at + 1)) {
    const std::string element = element_before(code, at);
    const std::size_t right = std::min(code.find_first_not_of(' ', at + 1), code.size());
    if (element.find('[') == std::string::npos || code.compare(right, element.size(), element) != 0) continue;
    const std::size_t operation = code.find_first_not_of(' ', right + element.size());
    if (operation == std::string::npos || (code[operation] != '+' && code[operation] != '-')) continue;
    const std::string name = name_of(element);
    if (uses_of(name, code).size() == 2 && (variable.empty() || name == variable)) return true;
  }
  return false;
}

bool is_update(const Defect& race, const std::string& code) {
  // Dynamic shared memory goes by several names, or by none.
  const std::string& known = race.memory.variable;
  const bool has_name = !known.empty() && std::ranges::all_of(known, source::is_word_character);
  if (race.party.line != race.other->line || race.party.access == DefectAccess::atomic ||
      race.other->access == DefectAccess::atomic)
    return false;
  const std::string line = line_of(code, race.party.line), variable = has_name ? known : "";
  return only_adds_to(line, variable) || stores_a_sum_in(line, variable);
}

bool are_of_one_block(const Defect& race) {
  return race.party.place && race.other->place && race.party.place->block == race.other->place->block;
}

// Whether the line belongs to an if inside of the loop: then no round need come to it.
bool is_conditional(const std::string& text, int line, const SourceLoop& loop) {
  const std::string code = source::strip_comments(text);
  const Statements statements(code);
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (!statements.is_word(at, "if")) continue;
    const int first = line_at(code, at), last = line_at(code, statements.end_of(at) - 1);
    if (first >= loop.first && first <= line && line <= last) return true;
  }
  return false;
}

// Both threads have come through the last barrier. Who is in a line above it since then has begun another
// round.
std::string a_round_ahead(const Defect& race, const std::string& text) {
  const int mine = race.party.line, others = race.other->line, barrier = race.barrier_line;
  if (barrier == 0 || std::min(mine, others) >= barrier || std::max(mine, others) <= barrier) return "";
  const auto loop = innermost_loop(text, {mine, others, barrier});
  if (!loop) return "";
  const std::string before = std::to_string(std::min(mine, others)),
                    after = std::to_string(std::max(mine, others));
  if (is_conditional(text, barrier, *loop))
    return "the barrier in line " + std::to_string(barrier) +
           " does not keep them apart in every round: one is needed between line " + before + " and line " +
           after + ", and between line " + after + " and line " + before + " of the next round";
  const DefectThread& ahead = mine < others ? *race.party.place : *race.other->place;
  return text_of(ahead) +
         " is already in the next round of the loop: nothing makes it wait after the barrier in line " +
         std::to_string(barrier) + "; a barrier is needed between line " + after + " of one round and line " +
         before + " of the next";
}

// A load and a store of one line, in a loop without a barrier: of which rounds they are nobody has counted. A
// barrier may be in a function that the loop calls.
std::string perhaps_of_two_rounds(const Defect& race, const std::string& text) {
  const auto loop = innermost_loop(text, {race.party.line});
  const bool are_both_kinds = race.party.access != race.other->access;
  if (race.kind != DefectKind::shared_race || race.party.line != race.other->line || !are_both_kinds || !loop)
    return "";
  const std::string code = source::strip_comments(text);
  if (code.find("__device__") != std::string::npos) return "";
  for (int line = loop->first; line <= loop->last; ++line)
    if (line_of(code, line).find("__sync") != std::string::npos) return "";
  return "consistent with two rounds of the loop in line " + std::to_string(loop->first) +
         ", with no barrier between them";
}

}  // namespace

RaceInSource race_in_source(const Defect& race, const std::string& text) {
  const bool is_shared = race.kind == DefectKind::shared_race;
  if (!(is_shared || race.kind == DefectKind::global_race) || !race.other) return {};
  if (is_update(race, source::strip_comments(text)))
    return {is_shared ? "race-shared-update" : "race-global-update",
            "the line reads, adds and stores, and another thread comes in between"};
  if (!are_of_one_block(race)) return {};
  if (const std::string remark = a_round_ahead(race, text); !remark.empty())
    return {is_shared ? "race-shared-loop" : "", remark};
  return {"", perhaps_of_two_rounds(race, text)};
}

}  // namespace gpulab::check
