#include "check/answers.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>
#include <regex>
#include <stdexcept>

#include "base/table.hpp"
#include "base/text.hpp"
#include "check/explanations.hpp"
#include "check/judging.hpp"
#include "lesson/lesson.hpp"
#include "run/devices.hpp"
#include "run/run_options.hpp"

namespace gpulab::check {
namespace {

// Arrays and scalars of a launch, in the device's memory for as long as this lives.
class ArgumentMemory {
 public:
  ArgumentMemory(const CountedKernel& counted, device::Device& device, device::Stream& stream)
      : device_(device) {
    for (const SizedArray& array : counted.arrays) {
      const device::DevicePointer address = device.allocate(array.bytes());
      arrays_[array.name] = address;
      device.set(address, 0, array.bytes(), stream);
    }
    for (const KernelArgument& argument : counted.arguments.list()) {
      values_.push_back(argument.is_array() ? arrays_.at(argument.name) : argument.value.value());
      addresses_.push_back(&values_.back());
    }
  }
  ~ArgumentMemory() {
    for (const auto& [name, address] : arrays_) device_.free(address);
  }
  ArgumentMemory(const ArgumentMemory&) = delete;
  ArgumentMemory& operator=(const ArgumentMemory&) = delete;

  void* const* addresses() const { return addresses_.data(); }

 private:
  device::Device& device_;
  std::deque<std::uint64_t> values_;  // a deque, so that values stay in place
  std::vector<void*> addresses_;
  std::map<std::string, device::DevicePointer> arrays_;
};

}  // namespace

void count_accesses(const CountedKernel& counted, device::Module& module, device::Device& simulator,
                    Facts& facts) {
  const auto kernel = module.kernel(counted.kernel, counted.arguments.signature());
  const auto stream = simulator.create_stream();
  const ArgumentMemory arguments(counted, simulator, *stream);
  simulator.instruments()->take_access_counts();
  simulator.launch(*kernel, counted.config, arguments.addresses(), *stream);
  simulator.synchronize(*stream);
  const AccessCounts counts = simulator.instruments()->take_access_counts();
  const AccessSums loads = sums_of(counts, AccessKind::global_load);
  facts.set(counted_sectors_per_load, sectors_per_request(counts, AccessKind::global_load));
  facts.set(counted_sectors_per_store, sectors_per_request(counts, AccessKind::global_store));
  facts.set(counted_used_part_of_loads,
            static_cast<double>(loads.bytes) / (static_cast<double>(loads.sectors) * sector_bytes));
}

namespace {

QuestionSheet sheet_of(const Exercise& exercise) {
  for (const Lesson& lesson : all_lessons())
    if (lesson.name == exercise.lesson) return lesson.sheet;
  throw std::logic_error("there is no lesson " + exercise.lesson);
}

const Question& question_called(const std::string& name, const QuestionSheet& sheet) {
  const auto found = std::ranges::find(sheet.questions, name, &Question::name);
  if (found == sheet.questions.end()) throw std::logic_error("nothing answers the question " + name);
  return *found;
}

// Runs the kernels in the questions and adds the counts of their accesses to the facts.
void count_kernels(const QuestionSheet& sheet, std::vector<AskedQuestion>& all) {
  std::string kernels;
  for (const AskedQuestion& asked : all) kernels += asked.kernels;
  if (kernels.empty()) return;
  device::CompileCache cache;
  const auto simulator = run::open_simulator(cache);
  const auto module =
      simulator->compile({"questions.cu", kernels}, {.instrumentation = device::Instrumentation::counted});
  for (AskedQuestion& asked : all)
    if (const Question& question = question_called(asked.name, sheet); question.counted)
      count_accesses(question.counted(asked.facts), *module, *simulator, asked.facts);
}

struct JudgedQuestion {
  std::string heading;
  int line = 0;        // line of the answer in the learner's file; 0 if there is none
  std::string source;  // the text of that line
  AnswerJudgement judgement;
};

std::vector<JudgedQuestion> judged_questions(const Exercise& exercise, const QuestionSheet& sheet,
                                             const std::string& text) {
  std::vector<AskedQuestion> all = asked_questions(exercise.starter);
  count_kernels(sheet, all);
  const std::vector<AskedQuestion> answered = asked_questions(text);
  std::vector<JudgedQuestion> result;
  for (const AskedQuestion& asked : all) {
    const auto found = std::ranges::find(answered, asked.heading, &AskedQuestion::heading);
    const AskedQuestion given = found == answered.end() ? AskedQuestion() : *found;
    result.push_back({.heading = asked.heading,
                      .line = given.line,
                      .source = given.source,
                      .judgement = judge_answer(given.answer, asked, question_called(asked.name, sheet))});
  }
  return result;
}

bool is_unanswered(const JudgedQuestion& question) {
  return question.judgement.pattern == unanswered;
}

constexpr const char* wrong_number = "wrong-number";  // pattern of a number that no common mistake gives

// Returns a line for each question: whether its answer is right or, for a common mistake, why it is wrong, as
// far as a screen has room for reasons. The reason of `worst` is left out, as the summary has it.
std::vector<std::string> details_of(const std::vector<JudgedQuestion>& all, const JudgedQuestion& worst) {
  // Each question takes a row. If there are few questions, the rest of 10 rows is for reasons that need more.
  constexpr std::size_t columns = 76, few_rows = 10;
  std::size_t rows_left = std::max(few_rows, all.size() + 1) - all.size();
  std::vector<std::string> details;
  for (const auto& question : all) {
    const auto& [pattern, explanation] = question.judgement;
    const bool is_right = question.judgement.is_right(), has_answer = !is_unanswered(question);
    const std::string reason = question.heading + ": " + explanation;
    const std::size_t extra_rows = wrapped(reason, columns, 2).size() - 1;
    const bool shows_reason =
        !is_right && has_answer && &question != &worst && pattern != wrong_number && extra_rows <= rows_left;
    if (shows_reason) rows_left -= extra_rows;
    details.push_back(shows_reason ? reason
                                   : question.heading + (is_right     ? ": right"
                                                         : has_answer ? ": not right"
                                                                      : ": no answer yet"));
  }
  return details;
}

// Returns "Question 3, Four chunks" for "3. Four chunks": after "3 of 5 answers are right." a bare "3."
// would look like another number.
std::string question_in_words(const std::string& heading) {
  const std::size_t point = heading.find(". ");
  if (point == std::string::npos) return heading;
  return fmt::format("Question {}, {}", heading.substr(0, point), heading.substr(point + 2));
}

std::size_t count_right(const std::vector<JudgedQuestion>& all) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [](const JudgedQuestion& each) { return each.judgement.is_right(); }));
}

// Returns "3 of 5 answers are right".
std::string right_answers_text(const std::vector<JudgedQuestion>& all) {
  const std::size_t right = count_right(all);
  return fmt::format("{} of {} answers {} right", right, all.size(), right == 1 ? "is" : "are");
}

// Returns the first wrong answer; if no answer is wrong, the first missing answer; null if all are right.
const JudgedQuestion* worst_of(const std::vector<JudgedQuestion>& all) {
  const JudgedQuestion* missing = nullptr;
  for (const JudgedQuestion& question : all) {
    if (question.judgement.is_right()) continue;
    if (!is_unanswered(question)) return &question;
    if (!missing) missing = &question;
  }
  return missing;
}

}  // namespace

CheckResult check_answers(const Exercise& exercise, const std::string& file, const std::string& text) {
  const QuestionSheet sheet = sheet_of(exercise);
  const std::vector<JudgedQuestion> all = judged_questions(exercise, sheet, text);
  CheckResult result{.exercise = exercise.name, .file = file};
  result.questions = all.size();
  result.right_answers = count_right(all);
  const JudgedQuestion* worst = worst_of(all);
  if (!worst) {
    result.notes = {sheet.shown_by};
    return result;
  }
  result.pattern = worst->judgement.pattern;
  result.verdict = result.pattern == unanswered ? Verdict::unanswered : Verdict::wrong;
  const bool is_blank_sheet = std::ranges::all_of(all, is_unanswered);
  if (is_blank_sheet)
    result.summary = "Nothing is answered yet. Write a number after each \"answer\" in the file.";
  else
    result.summary = fmt::format("{}. {}: {}.", right_answers_text(all), question_in_words(worst->heading),
                                 worst->judgement.explanation);
  result.details = details_of(all, *worst);
  if (result.pattern == wrong_number && find_term(exercise.lesson))
    result.details.push_back("gpulab explain " + exercise.lesson + " says what the questions are about");
  for (const JudgedQuestion& question : all) {
    const bool is_in_summary = &question == worst && !is_blank_sheet;
    if (!question.judgement.is_right() && !is_in_summary && question.line > 0)
      result.related.push_back({.line = question.line,
                                .column = column_of(text, question.line),
                                .source = question.source,
                                .pattern = question.judgement.pattern,
                                .text = result.details[&question - all.data()]});
  }
  result.line = worst->line;
  result.column = column_of(text, worst->line);
  result.source = worst->source;
  return result;
}

std::string reason_for_answer(const Exercise& exercise, const std::string& sheet, int line) {
  const std::vector<JudgedQuestion> all = judged_questions(exercise, sheet_of(exercise), sheet);
  const auto question = std::ranges::find(all, line, &JudgedQuestion::line);
  if (line == 0 || question == all.end() || question->judgement.is_right()) return "";
  std::string reason = question->judgement.explanation + ".";
  reason.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(reason.front())));
  for (const AskedQuestion& answered : asked_questions(exercise.solution))
    if (answered.heading == question->heading) reason += " Right is " + answered.answer + ".";
  return reason;
}

namespace {

constexpr Unit units[] = {
    {"", Dimension::number, 1},         {"x", Dimension::number, 1},       {"times", Dimension::number, 1},
    {"%", Dimension::number, 0.01},     {"sectors", Dimension::number, 1}, {"sector", Dimension::number, 1},
    {"elements", Dimension::number, 1}, {"element", Dimension::number, 1}, {"s", Dimension::time, 1},
    {"ms", Dimension::time, 1e-3},      {"us", Dimension::time, 1e-6},     {"\u00b5s", Dimension::time, 1e-6},
    {"\u03bcs", Dimension::time, 1e-6}, {"ns", Dimension::time, 1e-9},     {"B", Dimension::bytes, 1},
    {"bytes", Dimension::bytes, 1},     {"byte", Dimension::bytes, 1},     {"kB", Dimension::bytes, 1e3},
    {"KB", Dimension::bytes, 1e3},      {"MB", Dimension::bytes, 1e6},     {"GB", Dimension::bytes, 1e9},
    {"KiB", Dimension::bytes, 0x1p10},  {"MiB", Dimension::bytes, 0x1p20}, {"GiB", Dimension::bytes, 0x1p30},
    {"MB/s", Dimension::rate, 1e6},     {"GB/s", Dimension::rate, 1e9},
};

}  // namespace

const Unit* unit_called(const std::string& name) {
  const auto found = std::ranges::find_if(units, [&](const Unit& unit) { return unit.name == name; });
  return found == std::end(units) ? nullptr : &*found;
}

bool is_in_some_unit(double number, Dimension dimension, double value) {
  constexpr double rounding = 1e-9;
  return std::ranges::any_of(units, [&](const Unit& unit) {
    return unit.dimension == dimension && std::abs(number * unit.in_si - value) <= rounding * std::abs(value);
  });
}

std::optional<Quantity> quantity(const std::string& text, const Unit& unit_of_bare_numbers) {
  constexpr std::size_t max_length = 60;
  static const std::regex form(
      R"(\s*((?:[0-9]{1,3}(?: [0-9]{3})+|[0-9]+)?(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)\s*([^0-9\s.]\S*)?\s*)");
  std::smatch match;
  if (text.size() > max_length || !std::regex_match(text, match, form)) return std::nullopt;
  std::string digits = match[1];
  std::erase(digits, ' ');
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  const Unit* unit = match[2].matched ? unit_called(match[2]) : &unit_of_bare_numbers;
  if (!unit) return std::nullopt;
  return Quantity{number * unit->in_si, number, unit->dimension};
}

namespace {

// Bytes that are read of each line: std::regex recurses for each character, and may overflow the stack.
constexpr std::size_t longest_line = 400;

class SheetReader {
 public:
  void take(const std::string& whole_line) {
    ++line_number_;
    const std::string line = trimmed(whole_line.substr(0, longest_line));
    if (take_heading(line) || questions_.empty()) return;
    if (!take_kernel(line) && !take_answer(line)) take_fact(line);
  }

  std::vector<AskedQuestion> questions() { return std::move(questions_); }

 private:
  bool take_heading(const std::string& line) {
    static const std::regex form(R"([0-9]{1,3}\. ([A-Z].*))");
    std::smatch match;
    if (!std::regex_match(line, match, form)) return false;
    questions_.push_back({.heading = line, .name = match[1]});
    in_kernel_ = false;
    return true;
  }

  // Takes a line of a kernel. Kernels in questions have no inner braces.
  bool take_kernel(const std::string& line) {
    if (line.starts_with("__global__")) in_kernel_ = true;
    if (!in_kernel_) return false;
    questions_.back().kernels += line + "\n";
    if (line == "}") in_kernel_ = false;
    return true;
  }

  bool take_answer(const std::string& line) {
    static const std::regex form(
        R"([Aa]nswer\s*(?:\(([^,]*), (?:exact|within ([^)]*))\))?\s*:([^#]*)(?:#.*)?)");
    std::smatch match;
    if (!std::regex_match(line, match, form)) return false;
    AskedQuestion& question = questions_.back();
    // Takes the last of several answers that is not empty.
    if (const std::string answer = trimmed(match[3].str()); question.line == 0 || !answer.empty()) {
      question.answer = answer;
      question.line = line_number_;
      question.source = line;
    }
    question.unit = match[1];
    if (const auto tolerance = quantity(match[2], plain_number)) question.tolerance = tolerance->value;
    return true;
  }

  void take_fact(const std::string& line) {
    static const std::regex form("([a-z][a-zA-Z -]*): +([0-9].*)");
    std::smatch match;
    if (!std::regex_match(line, match, form)) return;
    const auto value = quantity(match[2], plain_number);
    if (!value) return;
    questions_.back().facts.set(match[1], value->value);
    if (value->dimension == Dimension::rate) questions_.back().rates.push_back(match[1]);
  }

  std::vector<AskedQuestion> questions_;
  int line_number_ = 0;
  bool in_kernel_ = false;
};

}  // namespace

std::vector<AskedQuestion> asked_questions(const std::string& sheet) {
  SheetReader reader;
  for (const std::string& line : lines_of(sheet)) reader.take(line);
  return reader.questions();
}

std::string answered_sheet(const Exercise& exercise) {
  const std::vector<std::string> lines = lines_of(exercise.starter),
                                 solution_lines = lines_of(exercise.solution);
  const std::vector<AskedQuestion> answers = asked_questions(exercise.solution);
  std::string text;
  std::size_t copied = 0;
  for (const AskedQuestion& asked : asked_questions(exercise.starter)) {
    const auto given = std::ranges::find(answers, asked.heading, &AskedQuestion::heading);
    if (given == answers.end()) continue;
    const auto answer_line = static_cast<std::size_t>(asked.line);
    // The answer goes after the last of these lines.
    for (; copied < answer_line; ++copied) text += lines[copied] + (copied + 1 < answer_line ? "\n" : "");
    text += " " + given->answer + "\n";
    for (auto line = static_cast<std::size_t>(given->line);
         line < solution_lines.size() && solution_lines[line].starts_with('#'); ++line)
      text += solution_lines[line] + "\n";
  }
  for (; copied < lines.size(); ++copied) text += lines[copied] + "\n";
  return text;
}

namespace {

// Mistake in writing down a right result.
struct Slip {
  const char* pattern;
  double factor;  // wrong answer / right answer
  bool (*applies)(const Unit& unit);
  const char* explanation;
};

bool has_prefixes(const Unit& unit) {
  return unit.dimension != Dimension::number;
}

bool is_percent(const Unit& unit) {
  return std::string(unit.name) == "%";
}

bool is_ratio(const Unit& unit) {
  return std::string(unit.name) == "x";
}

constexpr const char* prefix_explanation = "the digits are right, but the unit is wrong by a power of 1000";
constexpr const char* bits_explanation = "bits were taken for bytes, or bytes for bits: a byte has 8 bits";
constexpr const char* bits_for_bytes = "bits-for-bytes";

constexpr Slip slips[] = {
    {bits_for_bytes, 8, has_prefixes, bits_explanation},
    {bits_for_bytes, 0.125, has_prefixes, bits_explanation},
    {"wrong-prefix", 1e3, has_prefixes, prefix_explanation},
    {"wrong-prefix", 1e-3, has_prefixes, prefix_explanation},
    {"wrong-prefix", 1e6, has_prefixes, prefix_explanation},
    {"wrong-prefix", 1e-6, has_prefixes, prefix_explanation},
    {"fraction-for-percent", 1e-2, is_percent,
     "a number without a unit means percent here, and this is a fraction"},
};

constexpr const char* upside_down = "upside-down";  // a slip without a fixed factor

const Unit& unit_of(const AskedQuestion& asked) {
  const Unit* unit = unit_called(asked.unit);
  if (!unit) throw std::logic_error(fmt::format("{}: unknown unit '{}'", asked.heading, asked.unit));
  return *unit;
}

// Compares up to the rounding of a double, even if the answer has to be exact.
bool is_near(double value, double truth, double tolerance) {
  return std::abs(value - truth) <= (tolerance + 1e-9) * std::abs(truth);
}

// Returns the answer with the slip. Bits taken for bytes change the rates, but no time that is itself a fact.
double answer_with(const Slip& slip, const AskedQuestion& asked, const Question& question) {
  Facts facts = asked.facts;
  if (slip.pattern != std::string(bits_for_bytes) || asked.rates.empty())
    return slip.factor * question.answer(facts);
  for (const std::string& rate : asked.rates) facts.set(rate, facts.of(rate) / slip.factor);
  return question.answer(facts);
}

// Returns "2.436 ms", "1 sector" or "165 000 kB".
std::string in_unit(double value, const std::string& unit) {
  constexpr double many_digits = 1e4;
  const std::string number = value < many_digits ? fmt::format("{:.4g}", value)
                                                 : grouped(static_cast<std::uint64_t>(std::llround(value)));
  const std::string singular = unit.substr(0, unit.size() - unit.ends_with('s'));
  const bool is_one = number == "1" && !singular.empty() && unit_called(singular);
  return number + " " + (is_one ? singular : unit);
}

}  // namespace

bool MistakenAnswer::is_same_as(const MistakenAnswer& other) const {
  return line == other.line && is_near(value, other.value, tolerance);
}

std::vector<MistakenAnswer> mistaken_answers(const Exercise& exercise) {
  const QuestionSheet sheet = sheet_of(exercise);
  std::vector<AskedQuestion> all = asked_questions(exercise.starter);
  count_kernels(sheet, all);
  std::vector<MistakenAnswer> answers;
  for (const AskedQuestion& asked : all) {
    const Question& question = question_called(asked.name, sheet);
    const double truth = question.answer(asked.facts);
    const Unit& unit = unit_of(asked);
    const auto add = [&](const std::string& pattern, double value, bool is_slip) {
      if (!is_near(value, truth, asked.tolerance))
        answers.push_back(
            {asked.line, pattern, in_unit(value / unit.in_si, asked.unit), value, asked.tolerance, is_slip});
    };
    for (const TypicalError& error : question.errors)
      add(error.pattern, error.answer(asked.facts), /*is_slip=*/false);
    for (const Slip& slip : slips)
      if (slip.applies(unit)) add(slip.pattern, answer_with(slip, asked, question), /*is_slip=*/true);
    if (is_ratio(unit)) add(upside_down, 1 / truth, /*is_slip=*/true);
  }
  return answers;
}

AnswerJudgement judge_answer(const std::string& answer, const AskedQuestion& asked,
                             const Question& question) {
  const Unit& unit = unit_of(asked);
  if (answer.empty()) return {unanswered, "there is no answer yet"};
  const auto given = quantity(answer, unit);
  if (!given && answer.find(',') != std::string::npos && quantity(replaced(answer, ',', '.'), unit))
    return {"unreadable-answer", "that is not a number: write a point, not a comma, before the decimals"};
  if (!given)
    return {"unreadable-answer",
            std::string("that is not a number with a unit; write it like 1.5 ") + unit.name};
  const double truth = question.answer(asked.facts);
  const bool has_right_number = is_in_some_unit(given->number, unit.dimension, truth);
  if (given->dimension != unit.dimension)
    return {"wrong-unit", "the question asks for another kind of quantity, in " + std::string(unit.name) +
                              (has_right_number ? "; the number would be right in a unit of that kind" : "")};
  if (is_near(given->value, truth, asked.tolerance)) return {};
  for (const TypicalError& error : question.errors)
    if (is_near(given->value, error.answer(asked.facts), asked.tolerance))
      return {error.pattern, error.explanation};
  for (const Slip& slip : slips)
    if (slip.applies(unit) && is_near(given->value, answer_with(slip, asked, question), asked.tolerance))
      return {slip.pattern, slip.explanation};
  if (is_ratio(unit) && is_near(given->value, 1 / truth, asked.tolerance))
    return {upside_down, "that is the ratio the other way round"};
  if (has_right_number) return {"wrong-unit", "the number would be right in another unit"};
  return {wrong_number, "that is not the result, and no common mistake gives it"};
}

}  // namespace gpulab::check
