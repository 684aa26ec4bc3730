#include <fmt/format.h>
#include <algorithm>
#include <ctime>

#define TOML_ENABLE_FORMATTERS 0  // it is read alone
#include <toml++/toml.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "teach/submissions.hpp"

namespace gpulab::teach {
namespace {

// Reader of class.toml, which refuses all that it would otherwise ignore.
class RulesReader {
 public:
  explicit RulesReader(const std::string& file) : file_(file) {}

  ClassRules read(const toml::table& document) {
    for (const auto& [key, value] : document)
      if (key != "late" && key != "exercises" && key != "learners")
        refuse_word(key, {"late", "exercises", "learners"});
    if (const toml::node* late = document.get("late")) late_ = number(*late, "late", 1);
    if (const toml::node* exercises = document.get("exercises"))
      read_exercises(table(*exercises, "exercises"));
    if (const toml::node* learners = document.get("learners"))
      for (const auto& [folder, name] : table(*learners, "learners")) read_learner(folder, name);
    return std::move(rules_);
  }

 private:
  [[noreturn]] void refuse(const toml::source_region& place, const std::string& why) const {
    throw UsageError(
        fmt::format("{}:{}:{}: {}", file_, place.begin.line, place.begin.column, printable(why)));
  }

  [[noreturn]] void refuse_word(const toml::key& key, const std::vector<std::string>& known) const {
    const std::string word(key.str());
    refuse(key.source(), fmt::format("'{}' has no meaning here; {}", word,
                                     suggestion(word, known, fmt::format("use {}", fmt::join(known, ", ")))));
  }

  const toml::table& table(const toml::node& node, const std::string& what) const {
    if (!node.is_table()) refuse(node.source(), fmt::format("{0} is a table; write [{0}]", what));
    return *node.as_table();
  }

  double number(const toml::node& node, const char* what, double most) const {
    const double value = node.is_number() ? *node.value<double>() : -1;
    if (!(value >= 0 && value <= most))
      refuse(node.source(), fmt::format("{} is a number from 0 to {}", what, most));
    return value;
  }

  // Returns the time, or the last second of a date. Without an offset it is this machine's local time.
  std::int64_t time(const toml::node& node) const {
    const toml::date_time* at = node.is_date_time() ? &node.as_date_time()->get() : nullptr;
    if (!at && !node.is_date())
      refuse(node.source(),
             "a deadline is a date or a time without quotes, such as 2026-12-01T23:59:00+01:00");
    const toml::date date = at ? at->date : node.as_date()->get();
    const toml::time time = at ? at->time : toml::time{23, 59, 59, 0};
    std::tm parts{.tm_sec = time.second,
                  .tm_min = time.minute,
                  .tm_hour = time.hour,
                  .tm_mday = date.day,
                  .tm_mon = date.month - 1,
                  .tm_year = date.year - 1900,
                  .tm_isdst = -1};
    return at && at->offset ? ::timegm(&parts) - at->offset->minutes * 60 : ::mktime(&parts);
  }

  void read_exercises(const toml::table& exercises) {
    std::vector<std::string> names;
    for (const Exercise& exercise : all_exercises()) names.push_back(exercise.name);
    for (const auto& [name, rule] : exercises)
      if (std::ranges::find(names, name.str()) == names.end())
        refuse(name.source(),
               fmt::format("there is no exercise '{}'; {}", name.str(),
                           suggestion(std::string(name.str()), names, "gpulab progress lists them")));
    for (const std::string& name : names)
      if (const toml::node* rule = exercises.get(name))
        read_exercise(name, table(*rule, "exercises." + name));
  }

  void read_exercise(const std::string& exercise, const toml::table& words) {
    ExerciseRule& rule = rules_.exercises.emplace_back(ExerciseRule{.exercise = exercise, .late = late_});
    for (const auto& [key, value] : words) {
      if (key == "points")
        rule.points = number(value, "points", 1e6);
      else if (key == "deadline")
        rule.deadline = time(value);
      else if (key == "late")
        rule.late = number(value, "late", 1);
      else
        refuse_word(key, {"points", "deadline", "late"});
    }
  }

  void read_learner(const toml::key& folder, const toml::node& name) {
    const std::string shown = name.is_string() ? trimmed(printable(name.as_string()->get())) : "";
    if (shown.empty()) refuse(name.source(), "a learner has a name in quotes: folder = \"Ada Lovelace\"");
    rules_.learners.insert_or_assign(printable(folder.str()), shown);
  }

  const std::string& file_;
  double late_ = 0;
  ClassRules rules_;
};

// Quotes a word for TOML.
std::string in_toml(const std::string& word) {
  std::string text = "\"";
  for (const char letter : printable(word))
    text += (letter == '"' || letter == '\\' ? "\\" : "") + std::string(1, letter);
  return text + '"';
}

}  // namespace

ClassRules parse_class_rules(const std::string& text, const std::string& file) try {
  return RulesReader(file).read(toml::parse(text));
} catch (const toml::parse_error& error) {
  const toml::source_position place = error.source().begin;
  throw UsageError(fmt::format("{}:{}:{}: this is not TOML: {}", file, place.line, place.column,
                               printable(error.description())));
}

std::string class_rules_text(const std::vector<std::string>& exercises,
                             const std::vector<std::string>& learners) {
  std::string text =
      "# Points, deadlines and names of a class, for gpulab grade. What you leave out stays as it is here.\n\n"
      "late = 0  # part of the points for work that was saved after the deadline; 0.5 is half of them\n";
  for (const std::string& exercise : exercises)
    text += fmt::format("\n[exercises.{}]\npoints = 1\n# deadline = 2026-12-01T23:59:00+01:00\n",
                        in_toml(exercise));
  text +=
      "\n# folder = name to show. Add those who have handed in nothing, so that they are listed too.\n[learners]\n";
  for (const std::string& learner : learners) text += fmt::format("{0} = {0}\n", in_toml(learner));
  return text;
}

}  // namespace gpulab::teach
