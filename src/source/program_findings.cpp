#include "source/program_findings.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "source/bounds.hpp"
#include "source/branches.hpp"
#include "source/quoted_statement.hpp"
#include "source/slips.hpp"
#include "source/source_parts.hpp"
#include "source/statements.hpp"

namespace gpulab::source {
namespace {

// Returns the index of the function's call that is in this line or extends to it from an earlier one;
// code.size() if there is none, as when a macro calls it.
std::size_t call_of(const Code& code, const std::string& function, int line) {
  constexpr int max_lines = 8;
  std::size_t found = code.size();
  for (std::size_t i = 0; i + 1 < code.size() && code[i].line <= line; ++i)
    if (code.text(i).starts_with(function) && code.text(i + 1) == "(" && code[i].line > line - max_lines &&
        code[std::min(code.matching(i + 1), code.size() - 1)].line >= line)
      found = i;
  return found;
}

// Returns whether the call at i is a statement, so that its result is unused.
bool is_statement(const Code& code, std::size_t i) {
  if (i >= code.size() || code.text(code.after_bracket(i + 1)) != ";") return false;
  while (i >= 2 && code.text(i - 1) == ":" && code.text(i - 2) == ":") i -= 2;
  if (i == 0 || code[i - 1].kind == TokenKind::directive) return true;
  return begins_statement(code, i) || is_one_of(code.text(i - 1), {"do", ":"});
}

// Returns whether the call at i is an argument, so that a macro may drop it.
bool is_argument(const Code& code, std::size_t i) {
  if (i < 2 || i >= code.size()) return false;
  const std::string_view before = code.text(i - 1), after = code.text(code.after_bracket(i + 1)),
                         word = code.text(i - 2);
  return (before == "," || (before == "(" && !is_one_of(word, {"if", "while", "switch"}))) &&
         (after == "," || after == ")");
}

// Returns the argument's tokens, with a blank after each.
std::string argument(const Code& code, std::size_t i, std::size_t number) {
  std::string words;
  const auto [begin, end] = argument_tokens(code, i, number);
  for (std::size_t token = begin; token < end; ++token) words += std::string(code.text(token)) + " ";
  return words;
}

bool is_floating(std::string_view type) {
  return is_one_of(type, {"float", "double", "half", "__half"});
}

// Returns the number, from 0, of the call's argument that is a size.
std::size_t argument_with_size(std::string_view call) {
  if (call.find("Memcpy2D") != call.npos) return 4;
  return call.find("Memcpy") != call.npos || call.find("Memset") != call.npos ? 2 : 1;
}

// Returns whether the star before a name belongs to a declaration, as in "T* p" and in "T *q, *p = 0".
bool is_star_of_declaration(const Code& code, std::size_t star) {
  while (star > 0 && code.text(star - 1) != ",") {
    const std::string_view before = code.text(--star);
    if (before == "*") continue;
    return before == ">" || (code.is_word(star) && before != "return" && before != "sizeof");
  }
  for (std::size_t i = star; i-- > 0;) {  // a list of declarations is in no parenthesis
    if (code.text(i) == ")") i = code.opening(i);
    if (is_one_of(code.text(i), {";", "{", "}"})) return true;
    if (code.text(i) == "(") return false;
  }
  return false;
}

// Returns whether the name is a pointer at i, by its last declaration before that in the blocks around it.
bool is_pointer_at(const Code& code, std::size_t i, std::string_view name) {
  while (i-- > 1) {
    if (code.text(i) == "}") {
      i = code.opening(i);
      if (i > 0 && code.text(i - 1) == ")") i = code.opening(i - 1);
      continue;
    }
    if (code.text(i) != name) continue;
    std::size_t before = i - 1;
    while (before > 0 && is_one_of(code.text(before), {"const", "__restrict__"})) --before;
    if (code.text(before) == "*" && is_star_of_declaration(code, before)) return true;
    const bool is_array = code.text(i + 1) == "[" && code.is_word(before) && code.text(before) != "return";
    if (is_array) return false;
  }
  return false;
}

}  // namespace

bool has_vector(const Code& code, std::string_view name, std::size_t before) {
  for (std::size_t i = std::min(before, code.size()); i-- > 1;) {
    if (code.text(i) != name) continue;
    std::size_t begin = code.text(i - 1) == ">" ? code.opening(i - 1) : 0;
    for (std::size_t at = code.text(i - 1) == "," ? i : 0; at > 0 && begin == 0;
         --at)  // of std::vector<int> a, b
      if (is_one_of(code.text(at - 1), {";", "{", "}"})) begin = at + (code.text(at) == "std" ? 4 : 1);
    const std::string_view type = begin > 0 ? code.text(begin - 1) : "";
    if (type.ends_with("vector")) return type == "vector" || type == "host_vector";
  }
  return false;
}

namespace {

// Returns whether a variable of this name is declared as int** p or int* p[4].
bool is_pointer_to_pointer(const Code& code, std::string_view name) {
  for (std::size_t i = 2; i < code.size(); ++i)
    if (code.text(i) == name && code.text(i - 1) == "*" &&
        (code.text(i - 2) == "*" || code.text(i + 1) == "["))
      return true;
  return false;
}

// Returns whether the size is that of a pointer instead of its array: the call at i copies p with sizeof p
// or, if p points to float, sizeof(float*), or v.data() with sizeof v.
bool is_size_of_pointer(const Code& code, std::size_t i, std::string_view call) {
  const std::string size = argument(code, i, argument_with_size(call));
  const auto is_size_of = [&](const std::string& name) {
    return !name.empty() && (size == "sizeof ( " + name + ") " || size == "sizeof " + name);
  };
  for (const std::size_t number : {0, 1}) {
    const std::string pointer = argument(code, i, number);  // ends with a blank
    const std::string name = pointer.substr(0, pointer.size() - 1);
    if (is_size_of(pointer)) return is_pointer_at(code, i, name);
    if (const DeclaredType type = declared_type(code, name, i);
        type.is_pointer && size == "sizeof ( " + type.type + " * ) ")
      return !is_pointer_to_pointer(code, name);
    const std::string owner = pointer.substr(0, pointer.find(". data ( )"));
    if (owner.size() < pointer.size() && is_size_of(owner))
      return has_vector(code, owner.substr(0, owner.size() - 1));
  }
  return false;
}

// Units of a size, as far as the text shows them.
enum class SizeUnit { elements, unknown, bytes };

bool names_bytes(std::string_view text) {
  std::string words(text);
  std::ranges::transform(words, words.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return words.find("sizeof") != std::string::npos || words.find("byte") != std::string::npos;
}

SizeUnit unit_of_size(const Code& code, std::size_t begin, std::size_t end, int depth);

// Returns the unit of what the text gives to the name. Names in that text are looked up to this depth.
SizeUnit unit_of_name(const Code& code, std::size_t name, int depth) {
  const std::string_view wanted = code.text(name);
  std::optional<SizeUnit> unit;
  for (std::size_t i = 0; i + 2 < code.size() && depth > 0; ++i) {
    if (code[i].kind == TokenKind::directive) {
      const Code words = code.part(code.text(i).substr(1), code[i].line);
      if (words.text(0) == "define" && words.text(1) == wanted)
        return names_bytes(code.text(i)) ? SizeUnit::bytes : SizeUnit::elements;
    } else if (code.text(i) == wanted && code.text(i + 1) == "=" && code.text(i + 2) != "=") {
      unit = std::max(unit.value_or(SizeUnit::elements),
                      unit_of_size(code, i + 2, end_of_value(code, i + 2), depth - 1));
    }
  }
  const bool is_int = declared_type(code, wanted, name).type == "int";
  return unit.value_or(is_int ? SizeUnit::elements : SizeUnit::unknown);
}

// Returns what the expression counts. A factor of 2, 4, 8 or 16 may be the size of an element.
SizeUnit unit_of_size(const Code& code, std::size_t begin, std::size_t end, int depth) {
  if (names_bytes(code.text_between(begin, end))) return SizeUnit::bytes;
  SizeUnit unit = SizeUnit::elements;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string_view word = code.text(i), next = i + 1 < end ? code.text(i + 1) : "";
    const bool is_factor = next == "*" || (i > begin && code.text(i - 1) == "*");
    if (is_factor && is_one_of(word, {"2", "4", "8", "16"})) unit = std::max(unit, SizeUnit::unknown);
    if (!code.is_word(i) || is_one_of(word, {"static_cast", "size_t", "int", "long", "unsigned"})) continue;
    if (next == "(" || next == "[")
      i = code.matching(i + 1);
    else if (next != "." && next != ":")
      unit = std::max(unit, unit_of_name(code, i, depth));
  }
  return unit;
}

// Returns what the size of a copy or a set counts. A number that its allocation does not name may be bytes.
SizeUnit unit_of_call(const Code& code, std::size_t call, const ProgramFinding& finding) {
  const auto [begin, end] = argument_tokens(code, call, argument_with_size(finding.call));
  if (begin == end) return SizeUnit::bytes;  // as far as the text shows
  if (end == begin + 1 && !code.is_word(begin) && !finding.others.empty()) {
    const int line = finding.others.front().place.line;
    if (!has_word(code, code.text(begin), code.line(line))) return SizeUnit::unknown;
  }
  constexpr int names_in_names = 3;
  return unit_of_size(code, begin, end, names_in_names);
}

std::string last_word(const std::string& words) {
  std::size_t end = words.size();
  while (end > 0 && !is_word_character(words[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word_character(words[begin - 1])) --begin;
  return words.substr(begin, end - begin);
}

// Returns whether the line is in a kernel that has no return statement.
bool is_in_kernel_without_return(const Code& code, int line) {
  const PartLines kernel = kernel_around(code, line);
  return kernel.is_kernel && std::ranges::none_of(code.tokens(), [&](const CodeToken& token) {
           return token.text == "return" && kernel.has(token.line);
         });
}

// Adds the branch, or else the return, that keeps lanes from the warp operation, and changes the correction.
void add_divergent_branch(ProgramFinding& finding, const Code& code) {
  const SourcePlace& place = finding.place.callers.empty() ? finding.place : finding.place.callers.back();
  if (place.file != finding.place.file) return;
  LineRange kernel;
  std::string helper;
  for (const PartLines& part : lines_of_parts(code)) {
    if (part.is_kernel && part.has(place.line)) kernel = part;
    for (auto [i, end] = code.lines(part.first, part.last); i < end; ++i)
      if (!part.is_kernel && part.has(finding.place.line) && is_full_shuffle(code, i)) helper = part.name;
  }
  const std::string file = place.file;
  const auto put_first = [&](int line, const std::string& text) {
    finding.others.insert(finding.others.begin(), {{file, line}, text});
  };
  const DivergentShuffle shuffle = shuffle_in_branch(code, kernel, helper);
  if (shuffle.line == place.line)
    return put_first(shuffle.branch, "lanes that do not go on here never come to that line");
  if (shuffle.line > 0) {
    finding.correction.clear();
    put_first(shuffle.line, "but it waits for them: its mask names all lanes");
    return put_first(shuffle.branch, "not all lanes go on here to the warp operation in line " +
                                         std::to_string(shuffle.line));
  }
  if (!finding.lanes_have_returned) return;
  std::vector<int> returns;
  const std::size_t end = code.first_from_line(place.line);
  for (std::size_t i = code.first_from_line(kernel.first); kernel.first > 0 && i < end; ++i)
    if (code.text(i) == "return") returns.push_back(code[i].line);
  if (has_word(code, "__ballot_sync", code.first_from_line(kernel.first), end))
    finding.correction.clear();
  else if (!returns.empty())
    finding.correction =
        "mask = __ballot_sync(0xffffffff, i < n) before any lane returns, and no use of a value whose lane is "
        "not in the mask; or let all lanes stay, those past the end with 0";
  if (returns.size() == 1) put_first(returns[0], "lanes that return here never come to that line");
}

// Sets the correction if a copy past the end of its memory, or from the host for one from the device, is
// given the address of a std::vector or a pointer, or a copy to a variable of the device the variable's
// address.
void add_pointer_in_place_of_address(const Code& code, ProgramFinding& finding) {
  const bool is_of_symbol = finding.pattern == "invalid-symbol";
  const bool is_of_direction = finding.pattern == "wrong-direction";
  if (finding.pattern != "copy-size" && !is_of_symbol && !is_of_direction) return;
  const std::size_t call = call_of(code, "cudaMemcpy", finding.place.line);
  for (const std::size_t number : {0, 1}) {
    const std::string words = argument(code, call, number), name = last_word(words);
    if (words != "& " + name + " ") continue;
    // A copy of the pointer itself has its size.
    if (is_of_direction && (number != 1 || argument(code, call, 2).find("sizeof") != std::string::npos))
      continue;
    if (is_of_symbol) {
      if (number == 0) finding.correction = fmt::format("{0}, not &{0}", name);
    } else if (has_vector(code, name))
      finding.correction =
          fmt::format("{0}.data(), not &{0}: the numbers of a std::vector are not in it", name);
    else if (is_pointer_at(code, call, name))
      finding.correction = fmt::format("{0}, not &{0}, which is the address of the pointer itself", name);
  }
}

// Adds the condition or the return that keeps threads from a barrier: to findings of that barrier, and to
// reads of shared memory that these threads have not written.
void add_branches_of_barriers(const Code& code, std::vector<ProgramFinding>& findings) {
  ProgramFinding::Other branch;
  for (ProgramFinding& finding : findings) {
    if (!finding.pattern.ends_with("-barrier") || !finding.place.file.empty()) continue;
    const Branch around = branch_around(code, finding.place.line, finding.place.line);
    if (around.line == 0 || around.arrivals == Arrivals::all) continue;
    branch = {{"", around.line}, "not all threads of the block go on here to the barrier"};
    finding.others.insert(finding.others.begin(), branch);
  }
  for (ProgramFinding& finding : findings)
    if (finding.pattern == "uninitialised-shared" && branch.place.line > 0 &&
        has_word(code, "return", code.line(branch.place.line))) {
      finding.others.insert(finding.others.begin(),
                            {branch.place, "some threads return here, and never write their element"});
      finding.correction = "no return before a barrier: the condition around the reads and the writes only";
    }
}

std::size_t source_of(const std::vector<SourceFile>& sources, const SourcePlace& place) {
  if (place.file.empty()) return 0;
  const auto found = std::ranges::find_if(
      sources, [&](const SourceFile& source) { return source.path.filename() == place.file; });
  return static_cast<std::size_t>(found - sources.begin());
}

// Returns whether nothing uses what the function returns there: the call is a statement, or a macro drops it.
bool is_value_unused(const std::vector<SourceFile>& sources, const std::vector<SourcePlace>& dropped,
                     const SourcePlace& place, const std::string& function) {
  const std::size_t source = source_of(sources, place);
  if (source >= sources.size()) return false;
  const Code& code = sources[source].code;
  const std::size_t call = call_of(code, function, place.line);
  const auto is_of_call = [&](const SourcePlace& drop) {  // compilers show the name, or the parenthesis
    return !has_several_statements(code, drop.line) ||
           (column_of(code, call) <= drop.column && drop.column <= column_of(code, call + 1));
  };
  return is_statement(code, call) ||
         (is_argument(code, call) && std::ranges::any_of(dropped, [&](const SourcePlace& drop) {
            return drop.line == code[call].line && source_of(sources, drop) == source && is_of_call(drop);
          }));
}

// Returns whether nothing uses what any call of the finding returns.
bool are_values_unused(const std::vector<SourceFile>& sources, const std::vector<SourcePlace>& dropped,
                       const ProgramFinding& finding) {
  const auto is_unused = [&](const SourcePlace& place, const std::string& call) {
    return call.empty() || is_value_unused(sources, dropped, place, call);
  };
  return is_unused(finding.place, finding.call) &&
         std::ranges::all_of(finding.others,
                             [&](const auto& other) { return is_unused(other.place, other.call); });
}

// Returns whether both addresses of a copy are pointers, or vectors, whose elements are not bytes.
bool are_elements(const Code& code, std::size_t call) {
  return std::ranges::all_of(std::array{0, 1}, [&](std::size_t number) {
    const std::size_t begin = argument_tokens(code, call, number).begin;
    const std::size_t name = code.text(begin) == "&" ? begin + 1 : begin;
    const DeclaredType type = declared_type(code, code.text(name), name);
    return has_vector(code, code.text(name), name) ||
           (type.is_pointer && type.type.find("char") == std::string::npos && type.type != "void");
  });
}

// Returns whether the text has what the finding supposes. Makes a note of it if the text leaves that open.
bool premise_holds(ProgramFinding& finding, const Code& code) {
  const std::size_t call = call_of(code, finding.call, finding.place.line);
  switch (finding.premise) {
    case ProgramFinding::Premise::size_is_not_in_bytes: {
      const SizeUnit unit = unit_of_call(code, call, finding);
      if (finding.is_note && (unit != SizeUnit::elements || !are_elements(code, call))) return false;
      const bool is_of_launch = finding.others.size() > 1;  // which had as many blocks, so it is a count
      finding.is_note = unit == SizeUnit::unknown && !is_of_launch;
      if (finding.is_note) finding.correction += ", if all of it is to be copied";
      return unit != SizeUnit::bytes;
    }
    case ProgramFinding::Premise::size_is_of_pointer:
      return is_size_of_pointer(code, call, finding.call);
    case ProgramFinding::Premise::kernel_never_returns: {
      const SourcePlace& place = finding.place.callers.empty() ? finding.place : finding.place.callers.back();
      return place.file == finding.place.file && is_in_kernel_without_return(code, place.line);
    }
    case ProgramFinding::Premise::array_has_floats: {
      const bool is_in_kernel =
          call == code.size() && !finding.others.empty();  // so the call is the last other
      const std::size_t at =
          is_in_kernel ? call_of(code, finding.call, finding.others.back().place.line) : call;
      return is_floating(declared_type(code, last_word(argument(code, at, 0)), at).type);
    }
    default:
      return true;
  }
}

// Sets the correction if a pointer is moved by a number of bytes in one of the lines that led to an access
// out of bounds: in the kernel, the launch or the call.
void add_scaled_step(const std::vector<SourceFile>& sources, ProgramFinding& finding) {
  if (!is_one_of(finding.pattern, {"out-of-bounds", "shared-out-of-bounds", "copy-size"})) return;
  std::vector<SourcePlace> places{finding.place};
  for (const ProgramFinding::Other& other : finding.others) places.push_back(other.place);
  for (const SourcePlace& place : places) {
    const std::size_t source = source_of(sources, place);
    if (source >= sources.size() || place.line == 0) continue;
    const Code& code = sources[source].code;
    const PartLines kernel = kernel_around(code, place.line);
    const std::optional<ScaledStep> step =
        scaled_step(code, kernel.is_kernel ? LineRange(kernel) : LineRange{place.line, place.line});
    if (!step) continue;
    finding.correction =
        fmt::format("{} in line {}, not {}: pointers count elements", step->right, step->line, step->wrong);
    return;
  }
}

// Looks up the source of places in the files.
class PlaceReader {
 public:
  explicit PlaceReader(const std::vector<SourceFile>& sources) : sources_(sources) {
    for (const SourceFile& source : sources) lines_.push_back(lines_of(source.code.whole()));
  }

  // Adds the line's text, or that of its statement if the column is known.
  void fill(SourcePlace& place) const {
    const std::size_t number = source_of(sources_, place);
    if (number < sources_.size() && place.line >= 1 &&
        static_cast<std::size_t>(place.line) <= lines_[number].size()) {
      const std::string& line = lines_[number][static_cast<std::size_t>(place.line) - 1];
      const bool has_statement = place.column > 0 && static_cast<std::size_t>(place.column) <= line.size();
      if (!has_statement)
        place.column = 1 + static_cast<int>(std::min(line.find_first_not_of(" \t"), line.size()));
      place.source = has_statement ? statement_from(line, place.column) : trimmed(line);
      if (number > 0) place.file = sources_[number].name;  // the main file is not named
    }
    for (SourcePlace& caller : place.callers) fill(caller);
  }

 private:
  const std::vector<SourceFile>& sources_;
  std::vector<std::vector<std::string>> lines_;  // by source
};

// Changes the finding if its premise does not hold, and returns whether the finding stays. Two kinds stay
// without their premise, as notes: a failed call whose result is used, and a kernel that may return.
bool apply_premise(const std::vector<SourceFile>& sources, const std::vector<SourcePlace>& discarded_results,
                   ProgramFinding& finding) {
  using Premise = ProgramFinding::Premise;
  if (finding.premise == Premise::none) return true;
  const bool is_at_failure = finding.premise == Premise::value_is_unused_at_failure;
  const std::size_t source = source_of(sources, finding.place);
  const bool holds = is_at_failure || finding.premise == Premise::value_is_unused
                         ? are_values_unused(sources, discarded_results, finding)
                         : source < sources.size() && premise_holds(finding, sources[source].code);
  if (finding.premise == Premise::kernel_never_returns) {
    const bool was_note = std::exchange(finding.is_note, !holds);
    if (!holds) finding.correction.clear();
    return holds || !was_note;  // drops what was a note already
  }
  const bool goes_on = std::exchange(finding.is_note, finding.is_note && !is_at_failure);
  if (holds) return true;
  if (!is_at_failure) return false;
  finding.is_note = !goes_on;
  if (goes_on) finding.text += "; the program learns of it, goes on and ends with 0";
  finding.correction.clear();
  finding.others.clear();
  if (!finding.call.empty()) finding.pattern = "failed-call";
  return true;
}

}  // namespace

bool names(const ProgramFinding& finding, const SourcePlace& place) {
  return std::ranges::find(finding.others, place, &ProgramFinding::Other::place) != finding.others.end();
}

bool counts_elements(const Code& code, std::string_view call, int line) {
  const auto [begin, end] =
      argument_tokens(code, call_of(code, std::string(call), line), argument_with_size(call));
  return begin != end && unit_of_size(code, begin, end, 3) == SizeUnit::elements;
}

void find_source_lines(const std::vector<SourceFile>& sources, ProgramReport& report,
                       const std::vector<SourcePlace>& discarded_results) {
  std::erase_if(report.findings,
                [&](ProgramFinding& finding) { return !apply_premise(sources, discarded_results, finding); });
  add_branches_of_barriers(sources.front().code, report.findings);
  const PlaceReader reader(sources);
  for (ProgramFinding& finding : report.findings) {
    const std::size_t source = source_of(sources, finding.place);
    if (finding.pattern == "wrong-mask" && finding.call.empty() && source < sources.size())
      add_divergent_branch(finding, sources[source].code);
    add_scaled_step(sources, finding);
    if (source < sources.size()) add_pointer_in_place_of_address(sources[source].code, finding);
    reader.fill(finding.place);
    for (ProgramFinding::Other& other : finding.others) reader.fill(other.place);
  }
  for (KernelCounts& counts : report.counts)
    for (LineAccesses& accesses : counts.counts.lines) {
      SourcePlace place{accesses.file, accesses.line};
      reader.fill(place);
      std::tie(accesses.file, accesses.source) = std::tie(place.file, place.source);
    }
  for (TimelineEntry& entry : report.timeline) reader.fill(entry.place);
  for (MeasuredTime& measured : report.measured) reader.fill(measured.place);
}

}  // namespace gpulab::source
