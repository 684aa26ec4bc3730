#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "base/files.hpp"
#include "base/output.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
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

constexpr unsigned most_jobs = 256;

struct GradeOptions {
  std::vector<fs::path> folders, outputs;
  std::vector<std::string> exercises;
  std::string sandbox, format;
  std::optional<unsigned> jobs;
  std::optional<std::uint64_t> seed;
  std::optional<fs::path> feedback;
};

bool is_json(const fs::path& file) {
  return file.extension() == ".json";
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  const fs::path relative = fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(folder));
  return !relative.empty() && *relative.begin() != "..";
}

// Refuses outputs among what is handed in, which the next run would take for learners' files.
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

// Document and its place, which is found before any learner's code runs.
struct Document {
  explicit Document(const fs::path& file) : format(is_json(file) ? "json" : "csv"), output(file) {
    if (!is_json(file) && file.extension() != ".csv")
      throw UsageError("--output " + file.string() +
                       " ends neither in .json nor in .csv, the formats that it can have");
  }

  const char* format;
  ReportOutput output;
};

OpenFolder made_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw UsageError("--feedback " + folder.string() + " is no folder: " + failed.message());
  return OpenFolder(folder);
}

// Returns a name that hides no path, that every file system accepts, and that no other learner has.
std::string feedback_file(const std::string& learner, std::set<std::string>& taken) {
  constexpr std::size_t longest = 200;
  std::string name = printable(learner.substr(0, longest));
  std::ranges::replace(name, '/', '_');
  if (name.starts_with('.')) name.front() = '_';
  return teach::unique_name(name, taken) + ".txt";
}

// Rows of an earlier document whose files are unchanged and were checked with the same seed.
class Earlier {
 public:
  Earlier(const std::vector<fs::path>& outputs, std::optional<std::uint64_t> seed) : seed_(seed) {
    constexpr std::size_t max_bytes = std::size_t{512} << 20;
    std::error_code failed;
    for (const fs::path& file : outputs) {
      if (!is_json(file) || !fs::is_regular_file(file, failed) || fs::file_size(file, failed) == 0) continue;
      teach::GradeResult result = teach::read_grade_json(read_file(file, max_bytes), file.string());
      if (!seed_ && result.seed > 0) seed_ = result.seed;
      for (teach::GradeRow& row : result.rows)
        if (row.handed == teach::SubmissionState::checked && result.seed == seed_ &&
            result.build.version == build_facts().version && result.build.revision == build_facts().revision)
          rows_.insert_or_assign(key(row), std::move(row));
    }
  }

  // Returns the earlier document's seed, or else a random one, which nobody can know in advance.
  std::uint64_t seed() const { return seed_ ? *seed_ : 1 + std::random_device{}(); }

  bool knows(teach::GradeRow& row) const {
    const auto found = rows_.find(key(row));
    if (found == rows_.end()) return false;
    std::vector<std::string> notes = std::move(row.notes);
    row = found->second;
    row.notes = std::move(notes);
    return true;
  }

 private:
  static std::string key(const teach::GradeRow& row) {
    return row.learner + "\n" + row.exercise + "\n" + row.file + "\n" + row.hash;
  }

  std::optional<std::uint64_t> seed_;
  std::map<std::string, teach::GradeRow> rows_;
};

class Grading {
 public:
  explicit Grading(const GradeOptions& options) : words_(options) {
    for (const fs::path& file : options.outputs) documents_.emplace_back(file);
    const auto learners = teach::learners_folders(options.folders);
    require_apart(options, learners);
    std::vector<std::string> exercises;
    for (const std::string& word : options.exercises)
      for (const check::ExerciseFile& file : check::find_exercises(word))
        exercises.push_back(file.exercise.name);
    if (options.feedback) feedback_.emplace(made_folder(*options.feedback));
    tell_if_not_confined(sandbox::mode_of(options.sandbox), "what is handed in");
    for (const fs::path& output : options.outputs) locks_.push_back(std::make_unique<FileLock>(output));
    const Earlier earlier(options.outputs, options.seed);
    seed_ = earlier.seed();
    submissions_ = teach::submissions_in(learners, exercises);
    for (teach::Submission& one : submissions_)
      if (one.row.handed == teach::SubmissionState::checked && !earlier.knows(one.row))
        to_check_.push_back(&one);
    equal_ = teach::equal_submissions(submissions_, course_file_of);
  }

  ExitCode run() {
    const auto handed_in = std::ranges::count(submissions_, teach::SubmissionState::checked,
                                              [](const auto& one) { return one.row.handed; });
    if (handed_in > static_cast<std::ptrdiff_t>(to_check_.size()))
      narrator_.remark(fmt::format("gpulab: {} of {} files are unchanged since their check; {} to check",
                                   handed_in - static_cast<std::ptrdiff_t>(to_check_.size()), handed_in,
                                   to_check_.size()));
    for (teach::Submission* one : to_check_) one->row.handed = teach::SubmissionState::not_checked;
    teach::check_submissions(
        to_check_,
        {.jobs = std::min(words_.jobs.value_or(std::thread::hardware_concurrency()), most_jobs),
         .sandbox = sandbox::mode_of(words_.sandbox),
         .seed = seed_},
        [this](teach::Submission& one, const CheckResult* result) { take(one, result); });
    narrator_.wipe();
    write_documents(true);
    if (feedback_) write_feedback();
    print_result();
    const bool nothing_worked = !to_check_.empty() && std::ranges::all_of(to_check_, [](const auto* one) {
      return one->row.handed == teach::SubmissionState::not_checked;
    });
    return nothing_worked ? ExitCode::device : ExitCode::ok;
  }

 private:
  void take(teach::Submission& one, const CheckResult* result) {
    if (result) one.row.feedback = teach::feedback_of(*result);
    ++done_;
    const double spent_s = std::chrono::duration<double>(Clock::now() - begin_).count();
    const double part = static_cast<double>(done_) / static_cast<double>(to_check_.size());
    narrator_.progress(fmt::format("▕{:<20}▏ {} of {}, about {} left: {}, {}", bar_text(part, 20), done_,
                                   to_check_.size(), rough_time(spent_s / part - spent_s), one.row.learner,
                                   one.row.exercise));
    // Writes at most once a second: little is lost, and it costs nothing.
    if (Clock::now() - written_ < std::chrono::seconds(1)) return;
    write_documents(false);
    written_ = Clock::now();
  }

  teach::GradeResult result(bool is_complete) const {
    teach::GradeResult result{.build = build_facts(), .equal = equal_, .seed = seed_};
    for (const teach::Submission& one : submissions_)
      if (is_complete || one.row.handed != teach::SubmissionState::not_checked)
        result.rows.push_back(one.row);
    return result;
  }

  std::string document(const std::string& format, bool is_complete) const {
    return format == "json" ? teach::grade_json(result(is_complete), is_complete)
                            : teach::grade_csv(result(is_complete));
  }

  void write_documents(bool is_complete) {
    for (Document& one : documents_) one.output.write(document(one.format, is_complete));
  }

  void print_result() const {
    if (words_.format == "text")
      print(teach::grade_text(result(true), style_of_stdout()));
    else
      ReportOutput({}).write(document(words_.format, true));
  }

  void write_feedback() const {
    std::map<std::string, std::vector<const teach::GradeRow*>> rows;
    for (const teach::Submission& one : submissions_) rows[one.row.learner].push_back(&one.row);
    std::set<std::string> taken;
    for (const auto& [learner, own] : rows)
      feedback_->replace(feedback_file(learner, taken), teach::feedback_text(learner, own));
  }

  const GradeOptions& words_;
  Narrator narrator_{false};
  std::vector<Document> documents_;
  std::optional<OpenFolder> feedback_;
  std::vector<std::unique_ptr<FileLock>> locks_;
  std::vector<teach::Submission> submissions_;
  std::vector<teach::Submission*> to_check_;
  std::vector<teach::EqualFiles> equal_;
  std::uint64_t seed_ = 0;
  std::size_t done_ = 0;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point written_ = begin_;
};

}  // namespace

void add_grade(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("grade", "check what a class has handed in");
  auto options = std::make_shared<GradeOptions>();
  command->add_option("folder", options->folders, "the learners' folders, or the one that they are in")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--exercises", options->exercises,
                   "the exercises to expect: LESSON,LESSON (default: all that were handed in)")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("EXERCISE");
  command
      ->add_option("--output", options->outputs,
                   "FILE.json or FILE.csv; may be repeated; resumes an existing JSON file")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("FILE");
  command->add_option("--feedback", options->feedback, "write what each learner should read into this folder")
      ->type_name("DIR");
  add_choice(*command, "--sandbox", options->sandbox,
             "confine the kernels; with require fully or not at all, with auto as far as this machine can",
             {"require", "auto", "off"});
  command->add_option("--jobs", options->jobs, "checks at once (default: one for each CPU)")
      ->check(a_whole_number())
      ->type_name("N");
  command
      ->add_option("--seed", options->seed,
                   "draw sizes and inputs from this seed (default: the output's, else one that nobody knows)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 53).description(""))
      ->type_name("N");
  add_choice(*command, "--format", options->format, "how the table on stdout is written",
             {"text", "json", "csv"});
  command->callback([&context, options] { context.action = [options] { return Grading(*options).run(); }; });
}

}  // namespace gpulab::cli
