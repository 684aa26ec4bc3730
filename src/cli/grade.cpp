#include <fmt/chrono.h>
#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <random>
#include <ranges>
#include <set>
#include <thread>

#include "base/descriptor.hpp"
#include "base/files.hpp"
#include "base/output.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "bench/page/page.hpp"
#include "check/files.hpp"
#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/options.hpp"
#include "lesson/result.hpp"
#include "teach/submissions.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr unsigned max_jobs = 256;

struct GradeOptions {
  std::vector<fs::path> folders, outputs;
  std::vector<std::string> exercises;
  std::string sandbox, format;
  std::optional<unsigned> jobs;
  std::optional<std::uint64_t> seed;
  std::optional<fs::path> feedback, rules;
  bool writes_rules = false;
};

bool is_inside(const fs::path& path, const fs::path& folder) {
  const fs::path relative = fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(folder));
  return !relative.empty() && *relative.begin() != "..";
}

// Refuses outputs inside learners' folders: the next run would take them for learners' files.
void require_apart(const GradeOptions& options, const std::vector<teach::LearnersFolder>& learners) {
  const auto refuse = [](const fs::path& written, const fs::path& folder) {
    throw UsageError(fmt::format("{} is inside {}, where nothing is written; name another place",
                                 written.string(), printable(folder.string())));
  };
  for (const teach::LearnersFolder& learner : learners)
    for (const fs::path& output : options.outputs)
      if (is_inside(output, learner.path)) refuse(output, learner.path);
  if (!options.feedback) return;
  for (const fs::path& folder : options.folders)
    if (is_inside(*options.feedback, folder)) refuse(*options.feedback, folder);
}

// Format of a document: its name for --format, and the ending of its file for --output.
struct GradeFormat {
  const char *name, *ending;
  std::string (*text)(const teach::GradeResult&);
};

std::string page_of(const teach::GradeResult& result) {
  const std::string heading = teach::grade_page_heading(result);
  return bench::page::document(heading, bench::page::policy_without_scripts, "<h1>" + heading + "</h1>\n",
                               teach::grade_page(result), "");
}

// The first ending that fits is taken, so matrix.csv is before .csv.
constexpr GradeFormat grade_formats[] = {
    {"json", ".json", [](const teach::GradeResult& result) { return teach::grade_json(result, true); }},
    {"matrix", "matrix.csv", teach::matrix_csv},
    {"csv", ".csv", teach::grade_csv},
    {"html", ".html", page_of},
    {"junit", ".xml", teach::grade_junit},
    {"gradescope", nullptr, teach::grade_gradescope}};

// Document to write. Its file is opened before any learner's code runs.
struct Document {
  explicit Document(const fs::path& path) : file(path), output(path) {
    for (const GradeFormat& known : grade_formats)
      if (!format && known.ending && file.filename().string().ends_with(known.ending)) format = &known;
    if (!format)
      throw UsageError("--output " + file.string() +
                       " ends in none of .json, .csv, .html and .xml, the formats that it can have");
  }

  bool is_json() const { return format->name == std::string_view("json"); }
  fs::path file;
  const GradeFormat* format = nullptr;
  ReportOutput output;
};

// Returns whether the learners' folders are in one folder, that of the class.
bool is_in_class_folder(const GradeOptions& options, const std::vector<teach::LearnersFolder>& learners) {
  return options.folders.size() == 1 && learners.front().path != fs::canonical(options.folders.front());
}

// Returns the class.toml that --class names, or else the one in the class's folder, which need not exist.
// Returns none in the folder of one learner, who could have written it.
fs::path rules_file(const GradeOptions& options, const std::vector<teach::LearnersFolder>& learners) {
  if (options.rules) return *options.rules;
  return is_in_class_folder(options, learners) ? options.folders.front() / "class.toml" : fs::path();
}

// Takes a class.toml among the folders as the file of --class: a shell expands class/* to it, too.
void take_rules_from_folders(GradeOptions& options) {
  const auto is_rules = [](const fs::path& path) { return path.filename() == "class.toml"; };
  const auto found = std::ranges::find_if(options.folders, is_rules);
  if (found == options.folders.end() || options.folders.size() == 1) return;
  if (!options.rules) options.rules = *found;
  std::erase_if(options.folders, is_rules);
}

// Uses the exercises of the folders that --exercises names or, if it names none, of the class's folder.
// Returns the names of the exercises that --exercises asks for.
std::vector<std::string> use_exercises_for(const GradeOptions& options, const fs::path& class_toml,
                                           const std::string& rules) {
  std::vector<std::string> asked;
  bool has_folder = false;
  for (const std::string& word : options.exercises) {
    if (!names_a_folder(word)) continue;
    append(asked, use_folder_of_exercises({word, "--exercises"}, true));
    has_folder = true;
  }
  if (!has_folder) use_exercises_of_class(class_toml, rules, /*with_course=*/true);
  for (const std::string& word : options.exercises)
    if (!names_a_folder(word))
      for (const check::ExerciseFile& file : check::find_exercises(word)) asked.push_back(file.exercise.name);
  return asked;
}

// Prints on stderr which kernel files belong to no learner, or that a folder with folders counts as one
// learner's. Throws UsageError if that folder seems to be a class's.
void tell_of_loose_files(const GradeOptions& options, bool is_class) {
  if (options.folders.size() != 1) return;
  const fs::path& folder = options.folders.front();
  const auto [files, folders] = teach::loose_files_in(folder);
  if (files.empty() || folders.empty()) return;
  const std::string file = printable(files.front().string()),
                    more = files.size() > 1 ? fmt::format(" and {} more", files.size() - 1) : "";
  if (is_class)
    return tell(fmt::format("gpulab: {}{} not in a learner's folder, so not graded\n", file,
                            more.empty() ? " is" : more + " are"));
  const std::string message = fmt::format(
      "because of {}, {} counts as one learner's folder; for a class, move the file away, or write class.toml "
      "beside it (--write-class --class {})",
      file + more, printable(folder.string()), printable((folder / "class.toml").string()));
  constexpr std::ptrdiff_t max_folders_of_learner = 2;
  const auto with_kernels = std::ranges::count_if(
      folders, [](const fs::path& inner) { return !teach::loose_files_in(inner).files.empty(); });
  if (with_kernels > std::max(max_folders_of_learner, std::ssize(files))) throw UsageError(message);
  tell("gpulab: " + message + "\n");
}

// Adds the learners of class.toml who have handed in nothing.
void add_missing(std::vector<teach::LearnersFolder>& learners, const teach::ClassRules& rules) {
  for (const auto& [folder, name] : rules.learners)
    if (!contains(learners, folder, &teach::LearnersFolder::learner)) learners.push_back({folder, {}});
  std::ranges::sort(learners, is_listed_before, &teach::LearnersFolder::learner);
}

// Marks files that were saved after their deadline.
void mark_late(std::vector<teach::Submission>& submissions, const teach::ClassRules& rules) {
  for (teach::GradeRow& row : submissions | std::views::transform(&teach::Submission::row)) {
    const auto rule = std::ranges::find(rules.exercises, row.exercise, &teach::ExerciseRule::exercise);
    if (rule == rules.exercises.end()) continue;
    const auto of_learner = rule->deadlines.find(row.learner);
    const auto deadline = of_learner == rule->deadlines.end() ? rule->deadline : of_learner->second.at;
    row.is_late = deadline && row.modified > *deadline;
  }
}

// Notes a time of saving that costs points, or that is in the future.
void note_time(teach::GradeRow& row) {
  const bool is_in_future = row.modified > std::time(nullptr) + 300;  // clocks may differ by some minutes
  if (teach::loses_points(row) || is_in_future)
    row.notes.push_back(fmt::format("saved {:%Y-%m-%d %H:%M %Z}{}{}", fmt::localtime(row.modified),
                                    teach::loses_points(row) ? " (late)" : "",
                                    is_in_future ? ", which is in the future" : ""));
}

// Appends the hash of an instructor's own exercise, which may have changed, to the hash of each file for it.
void add_exercise_hashes(std::vector<teach::Submission>& submissions) {
  std::map<std::string, std::string> hashes;
  for (teach::GradeRow& row : submissions | std::views::transform(&teach::Submission::row)) {
    if (row.hash.empty()) continue;
    if (!hashes.contains(row.exercise)) {
      const auto folder = folder_of_own_exercise(lesson_of(check::find_exercise(row.exercise).exercise));
      std::string texts;
      for (const char* name : {"exercise.toml", "reference.cpp", "solution.cu"})
        if (folder && fs::exists(*folder / name)) texts += check::learner_file(*folder / name).text;
      hashes[row.exercise] = folder ? "-" + std::to_string(fnv1a(texts)) : "";
    }
    row.hash += hashes[row.exercise];
  }
}

// Returns a line for each deadline of a name that no learner has: it may be mistyped.
std::string deadlines_without_learner(const teach::ClassRules& rules,
                                      const std::vector<teach::LearnersFolder>& learners) {
  std::string text;
  const std::vector<std::string> names = transformed(learners, &teach::LearnersFolder::learner);
  for (const teach::ExerciseRule& rule : rules.exercises)
    for (const auto& [learner, deadline] : rule.deadlines)
      if (!contains(names, learner))
        text += fmt::format("gpulab: {}{} has a deadline for '{}', and there is no such folder; {}\n",
                            deadline.place, rule.exercise, learner,
                            suggestion(learner, names, "nothing was handed in, or the name is mistyped"));
  return text;
}

// Writes a class.toml with the learners and exercises that were handed in.
ExitCode write_rules(const GradeOptions& options) {
  if (!options.outputs.empty() || options.feedback || options.format != "text")
    throw UsageError("--write-class checks nothing; leave out --output, --feedback and --format");
  const auto learners = teach::learners_folders(options.folders);
  const fs::path file = rules_file(options, learners);
  if (file.empty())
    throw UsageError("--write-class needs --class FILE, or one folder with a folder for each learner");
  use_exercises_for(options, file, "");
  const auto folder = std::ranges::find_if(options.exercises, names_a_folder);
  const std::vector<std::string> names = transformed(learners, &teach::LearnersFolder::learner);
  const auto rows = transformed(teach::submissions_in(learners, {}), &teach::Submission::row);
  const std::vector<std::string> exercises =
      transformed(teach::matrix_of({.rows = rows}).exercises, &teach::ExerciseRule::exercise);
  const bool has_own = folder != options.exercises.end();
  const std::string own = has_own ? fs::proximate(*folder, fs::absolute(file).parent_path()).string() : "";
  if (!create_file(file, teach::class_rules_text(exercises, names, own)))
    throw UsageError(printable(file.string()) + " already exists; edit it, or move it away");
  ReportOutput({}).write(fmt::format("wrote {}; edit it, then grade\n", printable(file.string())));
  return ExitCode::ok;
}

OpenFolder made_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw UsageError(fmt::format("--feedback {} is not a folder: {}", folder.string(), failed.message()));
  return OpenFolder(folder);
}

// Returns a short file name, without slashes or a leading dot, that no other learner has.
std::string feedback_file(const std::string& learner, std::set<std::string>& taken) {
  constexpr std::size_t max_length = 200;
  std::string name = replaced(printable(learner.substr(0, max_length)), '/', '_');
  if (name.starts_with('.')) name.front() = '_';
  return teach::unique_name(name, taken) + ".txt";
}

// Rows of an earlier document whose files are unchanged and were checked with the same seed.
class EarlierRows {
 public:
  EarlierRows(const std::vector<fs::path>& outputs, std::optional<std::uint64_t> seed) : seed_(seed) {
    constexpr std::size_t max_bytes = std::size_t{512} << 20;
    for (const fs::path& file : outputs) {
      if (file.extension() != ".json" || !has_content(file)) continue;
      teach::GradeResult result = teach::read_grade_json(read_file(file, max_bytes), file.string());
      if (!seed_ && result.seed > 0) seed_ = result.seed;
      for (teach::GradeRow& row : result.rows)
        if (row.state == teach::SubmissionState::checked && result.seed == seed_ &&
            result.build.version == build_facts().version && result.build.revision == build_facts().revision)
          rows_.insert_or_assign(key(row), std::move(row));
    }
  }

  // Returns the earlier document's seed, or else a random one, which nobody can know in advance.
  std::uint64_t seed() const { return seed_ ? *seed_ : 1 + std::random_device{}(); }

  // Takes the earlier row of the same file, but keeps the times and, beside those of the check, the notes;
  // returns false if there is none.
  bool restore(teach::GradeRow& row) const {
    const auto found = rows_.find(key(row));
    if (found == rows_.end()) return false;
    const teach::GradeRow now = std::exchange(row, found->second);
    std::erase_if(row.notes, [](const std::string& note) { return !teach::is_of_check(note); });
    row.notes.insert(row.notes.begin(), now.notes.begin(), now.notes.end());
    row.modified = now.modified;
    row.is_late = now.is_late;
    return true;
  }

 private:
  static std::string key(const teach::GradeRow& row) {
    return fmt::format("{}\n{}\n{}\n{}", row.learner, row.exercise, row.file, row.hash);
  }

  std::optional<std::uint64_t> seed_;
  std::map<std::string, teach::GradeRow> rows_;
};

class Grading {
 public:
  explicit Grading(const GradeOptions& options) : options_(options) {
    if (options.jobs == 0u) throw UsageError("--jobs 0 would check nothing; it takes at least 1");
    for (const fs::path& file : options.outputs) documents_.emplace_back(file);
    auto learners = teach::learners_folders(options.folders, options.format == "gradescope");
    require_apart(options, learners);
    const fs::path class_toml = rules_file(options, learners);
    const std::string rules = options.rules || fs::exists(class_toml) ? rules_text(class_toml) : "";
    std::vector<std::string> exercises = use_exercises_for(options, class_toml, rules);
    rules_ = teach::parse_class_rules(rules, class_toml.string());
    const bool is_class = is_in_class_folder(options, learners);
    tell_of_loose_files(options, is_class);
    if (learners.size() > 1 || is_class) {
      tell(teach::learners_without_folder(rules_, learners));
      add_missing(learners, rules_);
      tell(deadlines_without_learner(rules_, learners));
    }
    if (learners.size() > 1 && options.format == "gradescope")
      throw UsageError("Gradescope's results are for one learner; name the folder of one");
    if (exercises.empty()) exercises = transformed(rules_.exercises, &teach::ExerciseRule::exercise);
    if (options.feedback) feedback_.emplace(made_folder(*options.feedback));
    tell_if_not_confined(sandbox::mode_of(options.sandbox), "what is handed in");
    for (const fs::path& output : options.outputs) locks_.push_back(std::make_unique<FileLock>(output));
    const EarlierRows earlier(options.outputs, options.seed);
    seed_ = earlier.seed();
    submissions_ = teach::submissions_in(learners, exercises);
    add_exercise_hashes(submissions_);
    mark_late(submissions_, rules_);
    for (teach::Submission& submission : submissions_)
      if (submission.row.state == teach::SubmissionState::checked && !earlier.restore(submission.row))
        to_check_.push_back(&submission);
    equal_ = teach::equal_submissions(submissions_, check::course_file_of);
  }

  ExitCode run() {
    const auto handed_in = std::ranges::count(submissions_, teach::SubmissionState::checked,
                                              [](const auto& submission) { return submission.row.state; });
    if (handed_in > static_cast<std::ptrdiff_t>(to_check_.size()))
      narrator_.remark(fmt::format("gpulab: {} of {} files are unchanged since their check; {} to check",
                                   handed_in - static_cast<std::ptrdiff_t>(to_check_.size()), handed_in,
                                   to_check_.size()));
    for (teach::Submission* file : to_check_) file->row.state = teach::SubmissionState::not_checked;
    write_documents(/*is_complete=*/false);  // from the start there is a document to continue
    const Interruption interruption;
    try {
      teach::check_submissions(
          to_check_,
          {.jobs = std::min(options_.jobs.value_or(std::thread::hardware_concurrency()), max_jobs),
           .sandbox = sandbox::mode_of(options_.sandbox),
           .seed = seed_,
           .stop = interruption.stop_token()},
          [this](teach::Submission& file, const CheckResult* result) { record(file, result); });
    } catch (const WorkStopped&) {
      return end_early(interruption);
    }
    narrator_.wipe();
    for (teach::Submission& submission : submissions_) note_time(submission.row);
    write_documents(/*is_complete=*/true);
    if (feedback_) write_feedback();
    print_result();
    const bool nothing_worked = !to_check_.empty() && std::ranges::all_of(to_check_, [](const auto* file) {
      return file->row.state == teach::SubmissionState::not_checked && file->row.feedback.empty();
    });
    return nothing_worked ? ExitCode::device : ExitCode::ok;
  }

 private:
  // Writes what was checked before a signal, and says from which file the same command continues.
  ExitCode end_early(const Interruption& interruption) {
    narrator_.wipe();
    write_documents(/*is_complete=*/false);
    const auto json = std::ranges::find_if(documents_, &Document::is_json);
    tell(fmt::format("gpulab: interrupted by {} after {} of {} checks; {}\n", interruption.signal_name(),
                     done_, to_check_.size(),
                     json == documents_.end()
                         ? "nothing is kept without --output FILE.json"
                         : fmt::format("the same command goes on from {}", printable(json->file.string()))));
    return static_cast<ExitCode>(128 + interruption.signal());
  }

  void record(teach::Submission& file, const CheckResult* result) {
    if (result)
      file.row.feedback =
          teach::feedback_of(with_hint(check::find_exercise(file.row.exercise).exercise, file.text, *result));
    ++done_;
    const double spent_s = std::chrono::duration<double>(Clock::now() - begin_).count();
    const double fraction = static_cast<double>(done_) / static_cast<double>(to_check_.size());
    narrator_.progress(fmt::format("▕{:<20}▏ {} of {}, about {} left: {}, {}", bar_text(fraction, 20), done_,
                                   to_check_.size(), rough_time(spent_s / fraction - spent_s),
                                   file.row.learner, file.row.exercise));
    // Writes at most once a second: then little is lost, and writing costs next to nothing.
    if (Clock::now() - written_ < std::chrono::seconds(1)) return;
    write_documents(/*is_complete=*/false);
    written_ = Clock::now();
  }

  teach::GradeResult result(bool is_complete) const {
    teach::GradeResult result{.build = build_facts(), .equal = equal_, .seed = seed_, .rules = rules_};
    for (const auto& [row, text] : submissions_)
      if (is_complete || row.state != teach::SubmissionState::not_checked) result.rows.push_back(row);
    return result;
  }

  // Writes the documents. While checks go on, writes only JSON, from which grading can be resumed.
  void write_documents(bool is_complete) {
    for (Document& document : documents_)
      if (is_complete)
        document.output.write(document.format->text(result(/*is_complete=*/true)));
      else if (document.is_json())
        document.output.write(teach::grade_json(result(/*is_complete=*/false), /*is_complete=*/false));
  }

  void print_result() const {
    if (options_.format == "text") return print(teach::grade_text(result(true), style_of_stdout()));
    const auto format = std::ranges::find(grade_formats, options_.format,
                                          [](const GradeFormat& known) -> std::string { return known.name; });
    ReportOutput({}).write(format->text(result(/*is_complete=*/true)));
  }

  void write_feedback() const {
    std::map<std::string, std::vector<const teach::GradeRow*>> rows;
    for (const teach::Submission& file : submissions_) rows[file.row.learner].push_back(&file.row);
    std::set<std::string> taken;
    const teach::GradeResult all = result(/*is_complete=*/true);
    const teach::GradeMatrix matrix = teach::matrix_of(all);
    for (const teach::LearnerGrade& grade : matrix.learners)
      feedback_->replace(feedback_file(grade.learner, taken),
                         teach::feedback_text(grade, matrix, rows[grade.learner]));
  }

  const GradeOptions& options_;
  Narrator narrator_{/*quiet=*/false};
  std::vector<Document> documents_;
  std::optional<OpenFolder> feedback_;
  std::vector<std::unique_ptr<FileLock>> locks_;
  std::vector<teach::Submission> submissions_;
  std::vector<teach::Submission*> to_check_;
  std::vector<teach::EqualFiles> equal_;
  teach::ClassRules rules_;
  std::uint64_t seed_ = 0;
  std::size_t done_ = 0;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point written_ = begin_;
};

}  // namespace

void add_grade(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("grade", "check what a class has handed in");
  auto options = std::make_shared<GradeOptions>();
  add_value(*command, "folder", options->folders, "DIR", "the learners' folders, or the one that they are in")
      ->required();
  may_be_repeated(
      add_value(
          *command, "--exercises", options->exercises, "EXERCISE",
          "the exercises to expect: LESSON,LESSON, folders of your own, or both (default: all that were handed in)"))
      ->delimiter(',');
  may_be_repeated(add_value(
      *command, "-o,--output", options->outputs, "FILE",
      "FILE.json, .csv, matrix.csv, .html or .xml (JUnit); may be repeated; resumes an existing JSON file"));
  add_value(*command, "--class", options->rules, "FILE",
            "points, deadlines and names (default: class.toml in the class's folder)");
  command->add_flag("--write-class", options->writes_rules,
                    "write a class.toml to edit, with what was handed in, and check nothing");
  add_value(*command, "--feedback", options->feedback, "DIR",
            "write what each learner should read into this folder");
  add_choice(*command, "--sandbox", options->sandbox,
             "confine the kernels; with require fully or not at all, with auto as far as this machine can",
             {"require", "auto", "off"});
  add_whole_number(*command, "--jobs", options->jobs, "checks at once (default: one for each CPU)");
  add_value(*command, "--seed", options->seed, "N",
            "draw sizes and inputs from this seed (default: the output's, else one that nobody knows)")
      ->check(a_whole_number_in(1, std::uint64_t{1} << 53));
  add_choice(*command, "--format", options->format, "how the table on stdout is written",
             {"text", "json", "csv", "matrix", "html", "junit", "gradescope"});
  command->footer(
      "gpulab exercise new DIR writes an exercise of your own; docs/your-exercises.md says more.");
  set_action(*command, context, [options] {
    take_rules_from_folders(*options);
    return options->writes_rules ? write_rules(*options) : Grading(*options).run();
  });
}

}  // namespace gpulab::cli
