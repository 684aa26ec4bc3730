#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>

#include "core/registry.hpp"
#include "learn/answers.hpp"
#include "learn/explain_defect.hpp"
#include "run/devices.hpp"
#include "run/kernel_files.hpp"

namespace gpulab::learn {
namespace {

// Of 32 bytes, as core/access_counts.hpp has them.
constexpr double sector_bytes = 32;

// The arrays and scalars of a launch, in the device's memory for as long as this lives.
class ArgumentMemory {
 public:
  ArgumentMemory(const CountedKernel& counted, device::Device& device, device::Stream& stream)
      : device_(device) {
    for (const SizedArray& array : counted.arrays) {
      const device::DevicePointer address = arrays_[array.name] = device.allocate(array.bytes());
      device.set(address, 0, array.bytes(), stream);
    }
    for (const Passed& argument : counted.arguments.list()) {
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
  std::deque<std::uint64_t> values_;  // which stay where they are
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

// What the kernels in the questions do is found out by running them.
void count(const QuestionSheet& sheet, std::vector<AskedQuestion>& all) {
  std::string kernels;
  for (const AskedQuestion& asked : all) kernels += asked.kernels;
  if (kernels.empty()) return;
  device::CompileCache cache;
  const auto simulator = run::open_device(run::DeviceChoice::simulator, 0, cache, [](const std::string&) {});
  const auto module =
      simulator->compile({"questions.cu", kernels}, {.instrumentation = device::Instrumentation::counted});
  for (AskedQuestion& asked : all)
    if (const Question& question = question_called(asked.name, sheet); question.counted)
      count_accesses(question.counted(asked.facts), *module, *simulator, asked.facts);
}

struct JudgedQuestion {
  std::string heading;
  int line = 0;        // of the answer in the learner's file; 0 when there is none
  std::string source;  // the text of that line
  AnswerJudgement judgement;
};

std::vector<JudgedQuestion> judged(const Exercise& exercise, const QuestionSheet& sheet,
                                   const std::string& text) {
  std::vector<AskedQuestion> all = asked_questions(exercise.starter);
  count(sheet, all);
  const std::vector<AskedQuestion> answered = asked_questions(text);
  std::vector<JudgedQuestion> result;
  for (const AskedQuestion& asked : all) {
    const auto found = std::ranges::find(answered, asked.heading, &AskedQuestion::heading);
    const AskedQuestion nothing;
    const AskedQuestion& given = found == answered.end() ? nothing : *found;
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

std::string detail(const JudgedQuestion& question) {
  if (question.judgement.is_right()) return question.heading + ": right";
  return question.heading + (is_unanswered(question) ? ": no answer yet" : ": not right");
}

// "Question 3, Four chunks": behind a sentence with numbers, "3. Four chunks" would look like more of them.
std::string in_words(const std::string& heading) {
  const std::size_t point = heading.find(". ");
  if (point == std::string::npos) return heading;
  return "Question " + heading.substr(0, point) + ", " + heading.substr(point + 2);
}

std::string as_sentence(const std::string& text) {
  return text.ends_with('?') ? text : text + ".";
}

std::size_t right_ones(const std::vector<JudgedQuestion>& all) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [](const JudgedQuestion& each) { return each.judgement.is_right(); }));
}

// "3 of 5 answers are right"
std::string standing(const std::vector<JudgedQuestion>& all) {
  const std::size_t right = right_ones(all);
  return std::to_string(right) + " of " + std::to_string(all.size()) +
         (right == 1 ? " answers is right" : " answers are right");
}

// The first wrong answer tells more than a missing one before it.
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
  const std::vector<JudgedQuestion> all = judged(exercise, sheet, text);
  CheckResult result{.exercise = exercise.name, .file = file};
  result.questions = all.size();
  result.right_answers = right_ones(all);
  const JudgedQuestion* worst = worst_of(all);
  if (!worst) {
    result.notes = {sheet.shown_by};
    return result;
  }
  result.pattern = worst->judgement.pattern;
  result.verdict = result.pattern == unanswered ? Verdict::unanswered : Verdict::wrong;
  if (std::ranges::all_of(all, is_unanswered))
    result.summary = "Nothing is answered yet. Write a number behind each \"answer\" in the file.";
  else
    result.summary =
        standing(all) + ". " + in_words(worst->heading) + ": " + as_sentence(worst->judgement.explanation);
  for (const JudgedQuestion& question : all) {
    result.details.push_back(detail(question));
    if (!question.judgement.is_right() && &question != worst && question.line > 0)
      result.related.push_back({.line = question.line,
                                .column = column_of(text, question.line),
                                .source = question.source,
                                .pattern = question.judgement.pattern,
                                .text = result.details.back()});
  }
  result.line = worst->line;
  result.column = column_of(text, worst->line);
  result.source = worst->source;
  return result;
}

}  // namespace gpulab::learn
