#include <fmt/format.h>
#include <algorithm>
#include <ctime>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "check/strict_toml.hpp"
#include "teach/submissions.hpp"

namespace gpulab::teach {
namespace {

constexpr const char* exercises_folder = "exercises_folder";

class RulesReader {
 public:
  explicit RulesReader(const check::StrictToml& toml) : toml_(toml) {}

  ClassRules read() {
    const toml::table& root = toml_.root();
    toml_.refuse_unknown(root, {"late", "exercises", "learners", exercises_folder});
    late_factor_ = toml_.number(root, "late", 0, 1);
    if (const toml::table* exercises = toml_.table(root, "exercises")) read_exercises(*exercises);
    if (const toml::table* learners = toml_.table(root, "learners"))
      for (const auto& [folder, name] : *learners) read_learner(folder, name);
    tell_namesakes_apart();
    return std::move(rules_);
  }

 private:
  // Returns the time, or the last second of a date. A time without an offset is this machine's local time.
  std::int64_t time(const toml::node& node) const {
    const toml::date_time* date_time = node.is_date_time() ? &node.as_date_time()->get() : nullptr;
    if (!date_time && !node.is_date())
      toml_.refuse(node, "a deadline is a date or a time without quotes, such as 2026-12-01T23:59:00+01:00");
    const toml::date date = date_time ? date_time->date : node.as_date()->get();
    const toml::time time = date_time ? date_time->time : toml::time{23, 59, 59, 0};
    std::tm parts{.tm_sec = time.second,
                  .tm_min = time.minute,
                  .tm_hour = time.hour,
                  .tm_mday = date.day,
                  .tm_mon = date.month - 1,
                  .tm_year = date.year - 1900,
                  .tm_isdst = -1};
    if (!date_time || !date_time->offset) return ::mktime(&parts);
    return ::timegm(&parts) - date_time->offset->minutes * 60;
  }

  void read_exercises(const toml::table& exercises) {
    std::vector<std::string> names = transformed(all_exercises(), &Exercise::name);
    toml_.refuse_unknown(exercises, names, "exercise");
    const auto line_of_exercise = [&](const std::string& name) {
      const toml::node* const table = exercises.get(name);
      return table ? table->source().begin.line : 0;
    };
    std::ranges::stable_sort(names, {}, line_of_exercise);
    for (const std::string& name : names)
      if (const toml::table* table = toml_.table(exercises, name)) read_exercise(name, *table);
  }

  void read_exercise(const std::string& exercise, const toml::table& table) {
    toml_.refuse_unknown(table, {"points", "deadline", "deadlines", "late"});
    const toml::node* const deadline = table.get("deadline");
    ExerciseRule rule{.exercise = exercise,
                      .points = toml_.number(table, "points", 1, 1e6),
                      .deadline = deadline ? std::optional(time(*deadline)) : std::nullopt,
                      .late_factor = toml_.number(table, "late", late_factor_, 1)};
    if (const toml::table* deadlines = toml_.table(table, "deadlines"))
      for (const auto& [learner, at] : *deadlines)
        rule.deadlines[printable(learner.str())] = {time(at), toml_.place(at.source())};
    rules_.exercises.push_back(std::move(rule));
  }

  void read_learner(const toml::key& folder, const toml::node& name) {
    const std::string shown = name.is_string() ? trimmed(printable(name.as_string()->get())) : "";
    if (shown.empty()) toml_.refuse(name, "a learner has a name in quotes: folder = \"Ada Lovelace\"");
    rules_.learners.insert_or_assign(printable(folder.str()), shown);
  }

  void tell_namesakes_apart() {
    std::map<std::string, int> count;
    for (const auto& [folder, name] : rules_.learners) ++count[name];
    for (auto& [folder, name] : rules_.learners)
      if (count[name] > 1) name += " (" + folder + ")";
  }

  const check::StrictToml& toml_;
  double late_factor_ = 0;
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

ClassRules parse_class_rules(const std::string& text, const std::string& file) {
  return RulesReader(check::StrictToml(file, text)).read();
}

std::string exercises_folder_in(const std::string& text, const std::string& file) {
  const check::StrictToml toml(file, text);
  return toml.text(toml.root(), exercises_folder);
}

std::string class_rules_text(const std::vector<std::string>& exercises,
                             const std::vector<std::string>& learners, const std::string& folder) {
  std::string text =
      "# Points, deadlines and names of a class, for gpulab grade. What you leave out stays as it is here.\n\n"
      "late = 0  # part of the points for work that was saved after the deadline; 0.5 is half of them\n";
  if (!folder.empty())
    text +=
        fmt::format("{} = {}  # folder of your own exercises, from this file's folder or as a whole path\n",
                    exercises_folder, in_toml(folder));
  for (const std::string& exercise : exercises)
    text += fmt::format("\n[exercises.{}]\npoints = 1\n# deadline = 2026-12-01T23:59:00+01:00\n",
                        in_toml(exercise));
  text +=
      "\n# folder = name to show. Add those who have handed in nothing, so that they are listed too.\n[learners]\n";
  for (const std::string& learner : learners) text += fmt::format("{0} = {0}\n", in_toml(learner));
  return text;
}

std::string learners_without_folder(const ClassRules& rules, const std::vector<LearnersFolder>& learners) {
  std::vector<std::string> missing, others;
  for (const auto& [folder, name] : rules.learners)
    if (!contains(learners, folder, &LearnersFolder::learner)) missing.push_back(folder);
  for (const LearnersFolder& folder : learners)
    if (!rules.learners.contains(folder.learner)) others.push_back(folder.learner);
  if (missing.empty()) return "";
  return fmt::format("gpulab: class.toml names {}, and there is no such folder; {}\n",
                     fmt::join(missing, ", "),
                     suggestion(missing.front(), others, "nothing was handed in, or the name is mistyped"));
}

}  // namespace gpulab::teach
