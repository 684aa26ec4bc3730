#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "lesson/lesson.hpp"
#include "run/run_options.hpp"
#include "source/source_parts.hpp"
#include "teach/demo.hpp"

namespace gpulab::teach {
namespace {

std::vector<std::string> parts_of(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (const std::string part = trimmed(text.substr(begin, end - begin)); !part.empty())
      parts.push_back(part);
    begin = end + separator.size();
  }
  return parts;
}

// The texts before and after a word.
struct SplitText {
  std::string before_word, after_word;
};

// Splits a text where it has the word for the last time; returns nothing if it does not have the word.
std::optional<SplitText> split_at(const std::string& text, const std::string& word) {
  const std::size_t at = text.rfind(word);
  if (at == std::string::npos) return std::nullopt;
  return SplitText{trimmed(text.substr(0, at)), trimmed(text.substr(at + word.size()))};
}

// Returns the text after its first words; nothing if it begins with others.
std::optional<std::string> rest_after(const std::string& words, const std::string& text) {
  return text.starts_with(words) ? std::optional(text.substr(words.size())) : std::nullopt;
}

class Script {
 public:
  Script(const Lesson& lesson, std::string file) : lesson_(lesson), file_(std::move(file)) {}

  Demo parse(const std::string& text) {
    constexpr const char* byte_order_mark = "\xEF\xBB\xBF";
    const std::string script = text.substr(text.starts_with(byte_order_mark) ? 3 : 0);
    for (const std::string& line : lines_of(replaced(script, '\t', ' '))) {
      ++line_;
      if (printable(line) != line) refuse("there is a character that cannot be shown");
      read(line);
    }
    end_step();
    if (demo_.steps.empty()) refuse("there is no step: a step begins with a line '== NAME'");
    demo_.lesson = lesson_.name;
    leave_out_what_is_asked_later();
    return std::move(demo_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw UsageError(file_and_line() + ": " + why); }
  std::string file_and_line() const { return file_ + ":" + std::to_string(std::max(line_, 1)); }

  void read(const std::string& line) {
    const std::string words = trimmed(line);
    if (words.empty() || (!in_edit_ && words.starts_with('#'))) return;
    if (line.starts_with("== ")) return begin_step(trimmed(line.substr(3)));
    if (in_edit_ && (words.starts_with("- ") || words.starts_with("+ ")))
      return add_edit(words.front(), line.substr(line.find_first_not_of(' ') + 2));
    if (in_host_ && words.starts_with('|'))
      return step().host.push_back(words.substr(std::min<std::size_t>(2, words.size())));
    const std::size_t colon = words.find(':');
    const std::string key = colon == std::string::npos ? "" : words.substr(0, colon);
    if (is_key(key)) return set(key, trimmed(words.substr(colon + 1)));
    if (!line.starts_with(' ') || !continued_text_)
      refuse("'" + words + "' does not begin with a word that a step may have");
    *continued_text_ += (continued_text_->empty() ? "" : " ") + words;
  }

  static bool is_key(const std::string& key) {
    constexpr const char* keys[] = {"with",    "simulated with", "text", "show",   "as",      "kernel",
                                    "look at", "edit",           "run",  "host",   "ask",     "answer",
                                    "because", "tempting",       "say",  "expect", "minutes", "leave out"};
    return contains(keys, key) || key.starts_with("choice ");
  }

  void begin_step(const std::string& name) {
    end_step();
    if (contains(demo_.steps, name, &DemoStep::name)) refuse("there are two steps " + name);
    demo_.steps.push_back({.name = name});
    in_step_ = true;
    step().with = with_;
    step().simulated_with = simulated_with_;
  }

  DemoStep& step() {
    if (!in_step_) refuse("only 'with' and 'simulated with' may stand before the first step");
    return demo_.steps.back();
  }
  DemoQuestion& question() {
    if (!step().question) refuse("'ask' comes first");
    return *step().question;
  }

  // Sets a text of the step, which the indented lines below continue.
  void set_text(std::string& text, const std::string& value) {
    text = value;
    continued_text_ = &text;
  }

  void set(const std::string& key, const std::string& value) {
    continued_text_ = nullptr;
    in_edit_ = key == "edit";
    in_host_ = key == "host";
    if (key == "with") return set_text(in_step_ ? step().with : with_, value);
    if (key == "simulated with") return set_text(in_step_ ? step().simulated_with : simulated_with_, value);
    if (key == "text") return set_text(step().text, value);
    if (key == "say") return set_text(step().say, value);
    if (key == "expect") return set_text(step().expect, value);
    if (key == "as") return set_text(step().shown_as, value);
    if (key == "kernel") return set_text(step().kernel, value);
    if (key == "look at") return step().look_at.push_back(value);
    if (key == "leave out") return leave_out(parts_of(value, ","));
    if (key == "minutes") step().minutes = number(value);
    if (key == "show") return show(value);
    if (key == "run") return set_run(value);
    if (key == "ask") {
      step().question.emplace();
      return set_text(question().text, value);
    }
    if (key == "answer") {
      question().answer = answer(value);
      return;
    }
    if (key == "because") return set_text(in_choice_ ? last_choice().because : step().because, value);
    if (key == "tempting") return set_text(last_choice().tempting, value);
    if (const auto condition = rest_after("choice ", key)) return add_choice(trimmed(*condition), value);
  }

  DemoChoice& last_choice() {
    if (question().choices.empty()) refuse("'tempting' belongs to a choice");
    return question().choices.back();
  }

  std::string variant(const std::string& name) const {
    try {
      return run::find_variant(lesson_, name).name;
    } catch (const UsageError& error) {
      refuse(error.what());
    }
  }

  std::vector<std::string> variants(const std::string& list, const std::string& separator = ",") const {
    std::vector<std::string> names;
    for (const std::string& name : parts_of(list, separator)) names.push_back(variant(name));
    return names;
  }

  void show(const std::string& value) {
    const auto parts = split_at(value, " since ");
    step().shown = variant(parts ? parts->before_word : value);
    step().compared_with = last_shown_;
    if (parts) step().compared_with = parts->after_word == "nothing" ? "" : variant(parts->after_word);
    last_shown_ = step().shown;
  }

  void set_run(const std::string& value) {
    has_run_ = true;
    step().run = value == "nothing" ? std::vector<std::string>{} : variants(value);
  }

  void add_edit(char sign, const std::string& line) {
    std::vector<check::TextEdit>& edits = step().edits;
    if (edits.empty() || (sign == '-' && !edits.back().after.empty()))
      edits.push_back({file_and_line(), {}, {}});
    (sign == '-' ? edits.back().before : edits.back().after).push_back(line);
  }

  double number(const std::string& text) const {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) refuse("'" + text + "' is not a number");
    return value;
  }

  DemoAnswer answer(const std::string& value) const {
    using Kind = DemoAnswer::Kind;
    constexpr std::pair<const char*, Kind> about_one_variant[] = {
        {"result of ", Kind::result},
        {"pattern of ", Kind::pattern},
        {"wrong elements of ", Kind::wrong_elements},
        {"threads of ", Kind::threads},
        {"launches of ", Kind::launches}};
    for (const auto& [words, kind] : about_one_variant)
      if (const auto name = rest_after(words, value)) return {kind, {variant(trimmed(*name))}};
    if (const auto list = rest_after("fastest of ", value)) return {Kind::fastest, variants(*list)};
    if (const auto list = rest_after("times as fast ", value))
      return {Kind::times_as_fast, two_variants(*list, " as ")};
    const auto figure = split_at(value, " of ");
    if (!figure) refuse("no run can answer '" + value + "'");
    require_figure(figure->before_word);
    if (figure->after_word.find(" over ") != std::string::npos)
      return {Kind::figure_ratio, two_variants(figure->after_word, " over "), figure->before_word};
    return {Kind::figure, {variant(figure->after_word)}, figure->before_word};
  }

  void leave_out(const std::vector<std::string>& figures) {
    for (const std::string& figure : figures) {
      require_figure(figure);
      step().leaves_out.push_back(figure);
    }
  }

  // Leaves the figure that a step asks for out of all earlier steps, except for those that ask for it, too.
  void leave_out_what_is_asked_later() {
    const auto asked = [](const DemoStep& asking) {
      return asking.question ? asking.question->answer.figure : "";
    };
    for (auto later = demo_.steps.begin(); later != demo_.steps.end(); ++later)
      for (auto step = demo_.steps.begin(); step != later && !asked(*later).empty(); ++step)
        if (asked(*step) != asked(*later)) step->leaves_out.push_back(asked(*later));
  }

  // Refuses a figure that the lesson never shows.
  void require_figure(const std::string& name) const {
    std::vector<std::string> names = Recorded(embedded_recorded_figures()).figures_of(lesson_.name);
    for (const AccessMetric metric : lesson_.shows.accesses) names.emplace_back(name_of(metric));
    if (contains(names, name)) return;
    refuse(names.empty()
               ? fmt::format("{} shows no figures such as '{}'", lesson_.name, name)
               : fmt::format("{} shows no figure '{}'; {}", lesson_.name, name,
                             suggestion(name, names, fmt::format("there are {}", fmt::join(names, ", ")))));
  }

  std::vector<std::string> two_variants(const std::string& list, const std::string& separator) const {
    std::vector<std::string> names = variants(list, separator);
    if (names.size() != 2) refuse("one variant belongs on each side of '" + trimmed(separator) + "'");
    return names;
  }

  // Refuses a word that cannot be the answer.
  void require_possible_answer(const std::string& word) {
    const DemoAnswer& asked = question().answer;
    std::vector<std::string> words;
    if (asked.kind == DemoAnswer::Kind::result) words = words_of_results();
    if (asked.kind == DemoAnswer::Kind::fastest) words = asked.variants;
    if (!words.empty() && !contains(words, word))
      refuse(fmt::format("'{}' cannot be the answer; {}", word,
                         suggestion(word, words, fmt::format("there are {}", fmt::join(words, ", ")))));
  }

  void add_choice(const std::string& condition, const std::string& text) {
    if (question().answer.variants.empty()) refuse("'answer' comes before the choices");
    require_possible_answer(condition);
    DemoChoice choice = question().answer.is_word() ? DemoChoice{.word = condition} : interval(condition);
    for (const DemoChoice& other : question().choices)
      if (choice.word == other.word && overlap(choice, other)) refuse("two choices fit the same answer");
    question().choices.push_back(std::move(choice));
    in_choice_ = true;
    set_text(question().choices.back().text, text);
    constexpr std::size_t max_keys = 9;
    if (question().choices.size() > max_keys) refuse("there is no key for more than nine choices");
  }

  // Returns whether one number fits both choices, apart from the slack of "exactly".
  static bool overlap(const DemoChoice& a, const DemoChoice& b) {
    const double least = std::max(a.least, b.least), below = std::min(a.below, b.below);
    return (a.least == b.least && a.below == b.below) || least + 1e-5 * std::abs(least) < below;
  }

  DemoChoice interval(const std::string& text) const {
    if (const auto below = rest_after("below ", text)) return {.below = number(*below)};
    if (text.ends_with(" or more")) return {.least = number(text.substr(0, text.size() - 8))};
    if (const auto exact = rest_after("exactly ", text)) {
      const double value = number(*exact), slack = std::max(1e-9, std::abs(value) * 1e-6);
      return {.least = value - slack, .below = value + slack};
    }
    const auto ends = split_at(text, " to ");
    if (!ends)
      refuse("a choice of numbers is 'below X', 'X to Y', 'X or more' or 'exactly X', not '" + text + "'");
    return {.least = number(ends->before_word), .below = number(ends->after_word)};
  }

  void end_step() {
    if (in_step_) {
      complete_run();
      require_kernel();
      if (step().question && step().question->choices.size() < 2)
        refuse("the question of step " + step().name + " has fewer than two choices");
    }
    in_choice_ = in_edit_ = in_host_ = has_run_ = false;
    continued_text_ = nullptr;
  }

  // Refuses the name of a kernel that the shown variant's file lacks.
  void require_kernel() const {
    const DemoStep& last = demo_.steps.back();
    if (last.kernel.empty() || last.shown.empty()) return;
    const std::string text =
        run::KernelFiles(lesson_, std::nullopt).of(run::find_variant(lesson_, last.shown)).text;
    const std::vector<std::string> names = source::kernel_names(source::Code(text));
    if (!contains(names, last.kernel))
      refuse(fmt::format(
          "step {} shows a kernel '{}', which the file of {} does not have; {}", last.name, last.kernel,
          last.shown, suggestion(last.kernel, names, fmt::format("there are {}", fmt::join(names, ", ")))));
  }

  // Runs the shown variant and those of the answer, unless the script says what to run.
  void complete_run() {
    if (has_run_) return;
    if (!step().shown.empty()) step().run = {step().shown};
    if (!step().question) return;
    for (const std::string& name : step().question->answer.variants) add_once(step().run, name);
  }

  const Lesson& lesson_;
  std::string file_;
  Demo demo_;
  int line_ = 0;
  std::string with_, simulated_with_, last_shown_;
  bool in_step_ = false, in_choice_ = false, in_edit_ = false, in_host_ = false;  // what the last lines began
  bool has_run_ = false;                                                          // the step says what to run
  std::string* continued_text_ = nullptr;
};

}  // namespace

Demo parse_script(const std::string& text, const Lesson& lesson, const std::string& file) {
  return Script(lesson, file).parse(text);
}

Demo demo_of(const Lesson& lesson) {
  const std::string text = embedded_demo_text(lesson.name);
  if (text.empty())
    throw UsageError(fmt::format(
        "{0} has no demo; --script FILE plays one of your own, and gpulab demo mistakes {0} its mistakes",
        lesson.name));
  return parse_script(text, lesson, "the demo of " + lesson.name);
}

}  // namespace gpulab::teach
