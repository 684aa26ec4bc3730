#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "lesson/finding.hpp"
#include "run/devices.hpp"
#include "run/run_lesson.hpp"
#include "run/run_options.hpp"
#include "run/variant_run.hpp"
#include "run/watched_run.hpp"
#include "teach/demo.hpp"

namespace gpulab::teach {
namespace {

using Kind = DemoAnswer::Kind;

bool is_race(DefectKind kind) {
  return kind == DefectKind::shared_race || kind == DefectKind::global_race ||
         kind == DefectKind::race_streams;
}

// Returns whether two lines of kernels race.
bool is_race_of_lines(const Defect& defect) {
  const bool is_of_kernels =
      !defect.is_with_host && defect.other && defect.party.line > 0 && defect.other->line > 0;
  return is_race(defect.kind) && (defect.kind != DefectKind::race_streams || is_of_kernels);
}

bool is_outside(DefectKind kind) {
  return kind == DefectKind::out_of_bounds || kind == DefectKind::shared_out_of_bounds ||
         kind == DefectKind::array_index || kind == DefectKind::illegal_address;
}

std::string word_of(DefectKind kind) {
  if (is_race(kind)) return "race";
  return is_outside(kind) ? "out-of-bounds" : "defect";
}

// Returns the word for a run and, if it was watched, its defects.
std::string result_word(const VariantResult& run, const run::WatchedRun* watched) {
  switch (run.observed) {
    case Outcome::fails_to_launch:
      return "no-launch";
    case Outcome::fails_to_compile:
      return "no-compile";
    case Outcome::out_of_bounds:
      return "out-of-bounds";
    case Outcome::leaks:
      return "leak";
    case Outcome::faults:
      return run.failure && is_outside(run.failure->kind) ? "out-of-bounds" : "fault";
    case Outcome::defect:
      return run.failure ? word_of(run.failure->kind) : "defect";
    default:
      break;
  }
  if (run.expected == Outcome::race && run.as_expected()) return "race";
  if (watched && !watched->defects.empty()) return word_of(watched->defects.front().kind);
  return run.observed == Outcome::right ? "right" : "wrong";
}

const std::map<std::string, std::string>& names_of_results() {
  static const std::map<std::string, std::string> names{{"right", "right"},
                                                        {"wrong", "wrong"},
                                                        {"race", "a race"},
                                                        {"defect", "a mistake"},
                                                        {"leak", "memory that leaks"},
                                                        {"no-launch", "refused before it runs"},
                                                        {"no-compile", "refused by the compiler"},
                                                        {"out-of-bounds", "out of bounds"},
                                                        {"fault", "stopped"}};
  return names;
}

bool is_endless(const VariantResult& run) {
  return run.failure && run.failure->kind == DefectKind::time_limit;
}

std::string in_words(const std::string& word, const VariantResult& run) {
  if (is_endless(run)) return "it does not end";
  const std::string when = run.observed == Outcome::right   ? ", right this time"
                           : run.observed == Outcome::wrong ? ", wrong this time"
                                                            : "";
  return names_of_results().at(word) + (word == "race" || word == "defect" ? when : "");
}

// Formats a number with three digits, or a count with all of them.
std::string number_text(double number) {
  if (number == std::floor(number) && number >= 0 && number < 1e15)
    return grouped(static_cast<std::uint64_t>(number));
  const int magnitude = number > 0 ? static_cast<int>(std::floor(std::log10(number))) : 0;
  return with_decimals(number, std::max(0, 2 - magnitude));
}

const VariantResult* row_in(const LessonResult& result, const std::string& name) {
  return find_or_null(result.variants, name, &VariantResult::name);
}

std::optional<Figure> figure_in(const VariantResult* row, const std::string& name) {
  if (!row) return std::nullopt;
  for (const Figure& figure : row->findings.figures)
    if (figure.name == name) return figure;
  return std::nullopt;
}

// Returns "block 3 thread 7", "thread 7".
std::string place_of(const Defect::Party& party, bool with_block) {
  if (!party.place) return "a thread";
  return (with_block ? text_of_block(*party.place) + " " : "") + text_of_thread(*party.place);
}

const char* verb_of(DefectAccess access, bool is_past) {
  switch (access) {
    case DefectAccess::load:
      return is_past ? "read" : "reads";
    case DefectAccess::store:
      return is_past ? "wrote" : "writes";
    default:
      return is_past ? "updated" : "updates";
  }
}

// Describes a race in fewer words than check does: a class reads it from the last row of seats.
std::string race_text(const Defect& race) {
  const Defect::Party &later = race.party, &earlier = *race.other;
  const bool one_block = later.place && earlier.place && later.place->block == earlier.place->block;
  const bool is_of_streams = race.kind == DefectKind::race_streams;
  return fmt::format("a race {}: {} {} in line {} what {} {} in line {}, and nothing orders the two",
                     is_of_streams                          ? "between streams"
                     : race.kind == DefectKind::shared_race ? "in shared memory"
                                                            : "in global memory",
                     is_of_streams ? race.work : place_of(later, !one_block),
                     verb_of(later.access, /*is_past=*/false), later.line,
                     is_of_streams ? race.other_work : place_of(earlier, !one_block),
                     verb_of(earlier.access, /*is_past=*/true), earlier.line);
}

// Describes a watched run, which may have had a smaller problem than the step.
DemoFinding finding(const std::string& variant, const run::WatchedRun& run, std::size_t size_of_step) {
  const Defect& defect = run.defects.front();
  DemoFinding finding{variant, is_race_of_lines(defect) ? race_text(defect) : run.worst, {defect.party.line}};
  if (defect.other) finding.lines.push_back(defect.other->line);
  if (!is_race_of_lines(defect) && run.result.size != size_of_step)
    finding.text += " (watched at size " + grouped(run.result.size) + ")";
  return finding;
}

class Reveal {
 public:
  Reveal(const DemoStep& step, const Lesson& lesson, run::RunOptions options, device::Device& device,
         const Recorded& recorded)
      : step_(step),
        lesson_(lesson),
        options_(std::move(options)),
        files_(lesson_, options_.kernels),
        device_(device),
        recorded_(recorded) {}

  DemoReveal computed() {
    // Leaves out variants for another GPU. Only recorded figures can answer for them.
    std::ranges::copy_if(step_.run, std::back_inserter(options_.variants), [this](const std::string& name) {
      return run::missing_requirement(run::find_variant(lesson_, name), device_).empty();
    });
    if (!options_.variants.empty()) {
      options_.watched_sizes = run::WatchedSizes::asked;
      options_.measured.transfers = lesson_.shows.copy_rates;
      options_.measured.plain_reference = is_simulated();
      reveal_.result = run::run_lesson(lesson_, options_, device_);
      name_files_as_on_the_screen();
      watch();
      expect_right_edits();
    }
    if (step_.question) answer();
    leave_out();
    return std::move(reveal_);
  }

 private:
  const VariantResult* row_of(const std::string& name) const {
    return reveal_.result ? row_in(*reveal_.result, name) : nullptr;
  }
  bool is_simulated() const { return device_.properties().simulated(); }
  const DemoAnswer& asked() const { return step_.question->answer; }
  const std::string& variant() const { return asked().variants.front(); }

  void leave_out() {
    if (!reveal_.result) return;
    for (VariantResult& row : reveal_.result->variants)
      std::erase_if(row.findings.figures,
                    [&](const Figure& figure) { return contains(step_.leaves_out, figure.name); });
  }

  // Leaves out the demo's folder in what a compiler says.
  void name_files_as_on_the_screen() {
    if (!options_.kernels) return;
    const std::string folder = options_.kernels->string() + "/";
    for (VariantResult& row : reveal_.result->variants)
      for (std::size_t at; (at = row.explanation.find(folder)) != std::string::npos;)
        row.explanation.erase(at, folder.size());
  }

  // Watches the variants that the question is about, those that race on purpose and those that were stopped,
  // and adds what it found. For a kernel that does not compile, adds what the compiler says.
  void watch() {
    const bool is_only = reveal_.result->variants.size() == 1;
    run::VariantWatch watch(lesson_, files_, options_.settings, device_, options_.watched_sizes);
    for (const VariantResult& row : reveal_.result->variants) {
      if (row.observed == Outcome::fails_to_compile)
        reveal_.findings.push_back({is_only ? "" : row.name, row.explanation});
      const Variant& variant = run::find_variant(lesson_, row.name);
      const bool is_asked = step_.question && asked().kind == Kind::result && row.name == this->variant();
      if (!is_asked && !variant.races && row.observed != Outcome::defect) continue;
      if (is_endless(row)) continue;  // watched, it would take as long again
      options_.progress("watching " + row.name);
      auto run = watch.watch(variant, options_.block_size.value_or(variant.block.threads));
      if (!run) continue;
      if (!run->defects.empty())
        reveal_.findings.push_back(finding(is_only ? "" : row.name, *run, reveal_.result->size));
      watched_.emplace(row.name, std::move(*run));
    }
  }

  // Expects a kernel to be right if an edit has made it right.
  void expect_right_edits() {
    if (!options_.kernels) return;
    for (VariantResult& row : reveal_.result->variants) {
      const auto watched = watched_.find(row.name);
      const bool has_defects = watched != watched_.end() && !watched->second.defects.empty();
      if (row.observed == Outcome::right && !has_defects) row.expected = Outcome::right;
    }
  }

  // Returns the row of a kernel that an edit has made wrong, in a question about something else; null if
  // there is none.
  const VariantResult* wrong_edit() const {
    if (!options_.kernels || !step_.edits.empty() || asked().kind == Kind::result ||
        asked().kind == Kind::pattern || asked().kind == Kind::wrong_elements)
      return nullptr;
    const VariantResult* const row = row_of(step_.shown);
    return row && row->observed != Outcome::right && row->observed != Outcome::not_run ? row : nullptr;
  }

  void answer() {
    if (const VariantResult* const row = wrong_edit()) {
      const auto watched = watched_.find(row->name);
      reveal_.answer =
          in_words(result_word(*row, watched == watched_.end() ? nullptr : &watched->second), *row);
      return;
    }
    switch (asked().kind) {
      case Kind::result:
        return answer_result();
      case Kind::pattern:
        return answer_pattern();
      case Kind::fastest:
        return answer_fastest();
      default:
        return answer_number();
    }
  }

  // Returns the row of the variant in question; null, with the reason in reveal_.unknown, if it was not run.
  const VariantResult* asked_row() {
    const VariantResult* row = row_of(variant());
    if (!row || row->observed == Outcome::not_run) {
      reveal_.unknown = variant() + " could not be run here";
      return nullptr;
    }
    return row;
  }

  void set_answer(const std::string& word, std::string text) {
    reveal_.answer = std::move(text);
    reveal_.choice = choice_of(*step_.question, word);
  }

  // Answers in the words of the choice, followed by the result if they do not contain it.
  void answer_result() {
    const VariantResult* const row = asked_row();
    if (!row) return;
    const auto watched = watched_.find(row->name);
    const std::string word = result_word(*row, watched == watched_.end() ? nullptr : &watched->second);
    set_answer(word, in_words(word, *row));
    if (!reveal_.choice) return;
    const std::string& text = step_.question->choices[*reveal_.choice].text;
    if (text.find(names_of_results().at(word)) == std::string::npos)
      reveal_.answer = fmt::format("{} ({})", text, reveal_.answer);
  }

  void answer_pattern() {
    const VariantResult* const row = asked_row();
    if (!row) return;
    if (row->observed == Outcome::fails_to_compile) {
      reveal_.unknown = "the kernel does not compile";
      return;
    }
    const std::string pattern = row->pattern.empty() ? "none" : row->pattern;
    set_answer(pattern, pattern);
    if (reveal_.choice) reveal_.answer = step_.question->choices[*reveal_.choice].text;
  }

  // Returns the kernel's cold time in this run; without a GPU, the recorded one.
  std::optional<double> seconds_of(const std::string& name) {
    if (is_simulated()) return recorded_value(name, recorded_seconds);
    const VariantResult* const row = row_of(name);
    if (row && row->observed == Outcome::right && row->kernel_cold) return row->kernel_cold->median_s;
    return std::nullopt;
  }

  // Returns a recorded figure of the course's kernel; nothing if the file was edited.
  std::optional<double> recorded_value(const std::string& variant, const std::string& name) {
    if (!lesson_.kernels_text.empty()) return std::nullopt;  // an instructor's own exercise
    if (files_.is_edited(run::find_variant(lesson_, variant))) {
      reveal_.unknown = "the file has been edited, and what was recorded is of the course's kernels";
      return std::nullopt;
    }
    const RecordedFigure* const row = recorded_.of(lesson_.name, variant, name, step_.with);
    if (!row) return std::nullopt;
    if (reveal_.basis.empty())
      reveal_.basis = fmt::format("recorded with {} on {}, {}", row->options, row->gpus, row->date);
    else if (!reveal_.basis.ends_with(row->date))
      reveal_.basis += " and " + row->date;
    reveal_.recorded.push_back({variant, row->figure.value, row->figure.unit});
    return take_value(row->figure);
  }

  void answer_fastest() {
    std::string fastest;
    std::optional<double> least_s;
    for (const std::string& name : asked().variants) {
      const auto seconds = seconds_of(name);
      if (!seconds) return say_why_unknown("the time of " + name);
      if (least_s && *least_s <= *seconds) continue;
      fastest = name;
      least_s = seconds;
    }
    set_answer(fastest, fastest);
  }

  void say_why_unknown(const std::string& what) {
    reveal_.basis.clear();
    if (!reveal_.unknown.empty()) return;
    reveal_.unknown = what + (is_simulated() ? " needs a GPU" : " was not measured");
  }

  void answer_number() {
    const auto number = this->number();
    if (!number)
      return say_why_unknown(asked().figure.empty() ? "the answer" : asked().figure + " of " + variant());
    const bool is_ratio = asked().kind == Kind::times_as_fast || asked().kind == Kind::figure_ratio;
    reveal_.answer = (*number == 1 && is_ratio ? "1.00" : number_text(*number)) + unit(*number);
    // A ratio of nearly one says less than the times.
    if (asked().kind == Kind::times_as_fast && std::abs(*number - 1) < as_fast_within)
      reveal_.answer =
          fmt::format("about as fast: {} against {}", duration_text(time_s_), duration_text(other_time_s_));
    reveal_.choice = choice_of(*step_.question, *number);
  }

  std::string unit(double number) const {
    switch (asked().kind) {
      case Kind::times_as_fast:
        return " times as fast";
      case Kind::wrong_elements:
        return " wrong elements";
      case Kind::threads:
        return " threads";
      case Kind::launches:
        return number == 1 ? " launch" : " launches";
      case Kind::figure_ratio:
        if (unit_ != "ms") return " times the " + asked().figure;
        return fmt::format(" times as fast ({}{})", asked().figure,
                           is_simulated() ? ", on the simulated device" : "");
      default:
        return (unit_.empty() ? " " : " " + unit_ + " ") + asked().figure;
    }
  }

  std::optional<double> number() {
    if (asked().kind == Kind::times_as_fast) {
      const auto own = seconds_of(variant()), other = seconds_of(asked().variants[1]);
      time_s_ = own.value_or(0);
      other_time_s_ = other.value_or(0);
      return ratio(other, own);
    }
    if (asked().kind == Kind::figure_ratio)
      return ratio(figure_of(variant()), figure_of(asked().variants[1]));
    if (asked().kind == Kind::figure) return figure_of(variant());
    const VariantResult* const row = asked_row();
    if (!row) return std::nullopt;
    if (asked().kind == Kind::wrong_elements) {
      if (row->observed == Outcome::right || row->observed == Outcome::wrong)
        return static_cast<double>(row->wrong_elements);
      reveal_.unknown = "its result was not compared: " + std::string(name_of(row->observed));
      return std::nullopt;
    }
    if (asked().kind == Kind::launches) return static_cast<double>(row->launches);
    // Only a question about threads is left.
    if (!row->launch) return std::nullopt;
    return static_cast<double>(row->launch->grid.volume()) * static_cast<double>(row->launch->block.volume());
  }

  static std::optional<double> ratio(std::optional<double> numerator, std::optional<double> denominator) {
    if (!numerator || !denominator || *denominator <= 0) return std::nullopt;
    return *numerator / *denominator;
  }

  // Returns the figure of this run. If the run has none, returns a recorded one or, on a GPU, one that the
  // simulator counts.
  std::optional<double> figure_of(const std::string& name) {
    if (const auto figure = figure_in(row_of(name), asked().figure)) return take_value(*figure);
    if (is_simulated()) return recorded_value(name, asked().figure);
    if (!counted_) counted_ = counted_by_simulator();
    const auto figure = figure_in(row_in(*counted_, name), asked().figure);
    return figure ? std::optional(take_value(*figure)) : std::nullopt;
  }

  // Returns the value, and keeps the unit for the answer.
  double take_value(const Figure& figure) {
    unit_ = figure.unit;
    return figure.value;
  }

  LessonResult counted_by_simulator() {
    device::CompileCache cache;
    const auto simulator = run::open_simulator(cache);
    run::RunOptions options = options_;
    options.variants = asked().variants;
    if (auto small = run::smaller_problem(lesson_, options.settings, run::count_limit))
      options.settings = small->settings;
    reveal_.basis = "counted by the simulator";
    return run::run_lesson(lesson_, options, *simulator);
  }

  const DemoStep& step_;
  const Lesson& lesson_;
  run::RunOptions options_;
  run::KernelFiles files_;
  device::Device& device_;
  const Recorded& recorded_;
  std::map<std::string, run::WatchedRun> watched_;
  std::optional<LessonResult> counted_;
  double time_s_ = 0, other_time_s_ = 0;  // of the two variants that are compared
  std::string unit_;                      // unit of the figure that was asked for
  DemoReveal reveal_;
};

}  // namespace

std::vector<std::string> words_of_results() {
  std::vector<std::string> words;
  for (const auto& [word, name] : names_of_results()) words.push_back(word);
  return words;
}

DemoStep with_choices_for_any_kernel(DemoStep step) {
  if (!step.question || step.question->answer.kind == Kind::check) return step;
  for (DemoChoice& choice : step.question->choices) {
    const auto name = names_of_results().find(choice.word);
    const bool is_word_alone = step.question->answer.kind == Kind::result &&
                               name != names_of_results().end() &&
                               (choice.text == name->second || choice.text == "it is " + name->second);
    const bool is_right =
        choice.word == name_of(Outcome::right) ||
        (step.question->answer.kind == DemoAnswer::Kind::pattern && choice.word == "none") ||
        (step.question->answer.kind == DemoAnswer::Kind::wrong_elements && choice.below <= 1);
    if (is_word_alone || is_right) continue;
    choice.word.clear();  // now no answer fits the choice
    choice.least = std::numeric_limits<double>::infinity();
  }
  return step;
}

DemoReveal reveal(const DemoStep& step, const Lesson& lesson, run::RunOptions options, device::Device& device,
                  const Recorded& recorded) {
  return Reveal(step, lesson, std::move(options), device, recorded).computed();
}

std::optional<std::size_t> choice_of(const DemoQuestion& question, const std::string& word) {
  const auto found = std::ranges::find(question.choices, word, &DemoChoice::word);
  if (found == question.choices.end()) return std::nullopt;
  return static_cast<std::size_t>(found - question.choices.begin());
}

std::optional<std::size_t> choice_of(const DemoQuestion& question, double number) {
  for (std::size_t i = 0; i < question.choices.size(); ++i)
    if (number >= question.choices[i].least && number < question.choices[i].below) return i;
  return std::nullopt;
}

}  // namespace gpulab::teach
