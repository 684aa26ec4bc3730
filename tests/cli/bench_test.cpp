#include <sys/mount.h>
#include <sys/stat.h>
#include <chrono>
#include <thread>

#include "program_fixture.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

// `gpulab bench` at sizes that are counted within a second.
class BenchCommand : public ProgramTest {
 protected:
  Json document(const std::string& file) const { return Json::parse(read(folder / file)); }

  // Sends the signal when the document has that number of rows. Returns the exit code.
  int ended_by(int signal, const Words& words, const std::string& file, std::size_t rows) const {
    const pid_t child = start(words);
    for (int i = 0; i < 600 && rows_in(file) < rows; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  // Writes the kernels of arbitrary-size into mine/, with another text for the guard of the first.
  void write_kernels_with_guard(const std::string& replacement) const {
    run({"show", "arbitrary-size", "--to", "mine"});
    std::string text = read(folder / "mine/arbitrary_size.cu");
    const std::string guard = "if (item < size)";
    write("mine/arbitrary_size.cu", text.replace(text.find(guard), guard.size(), replacement));
  }

  std::size_t rows_in(const std::string& file) const {
    return std::filesystem::exists(folder / file) ? document(file).at("results").size() : 0;
  }

  static std::map<std::string, Json> counts_by_id(const Json& document) {
    std::map<std::string, Json> counts;
    for (const Json& row : document.at("results")) {
      counts[row.at("id")] = row.at("counts");
      counts[row.at("id")].erase("fiber_switches");  // may differ by one
    }
    return counts;
  }
};

const Words small_sweep = {"bench",    "histogram", "reduction",      "--size",        "2^10..2^14:x4",
                           "--device", "simulator", "--distribution", "uniform,sorted"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(BenchCommand, MeasuresEachVariantAtEachSizeWithEachOption) {
  const ProgramRun bench = run(with(small_sweep, {"--output", "new.json"}));
  EXPECT_EQ(bench.exit_code, 0) << bench.err;
  const Json result = document("new.json");
  EXPECT_EQ(result.at("complete"), true);
  // Three sizes: three variants of the histogram with two distributions, nine of the reduction.
  EXPECT_EQ(result.at("results").size(), 3 * (3 * 2 + 9));
  std::set<std::string> ids;
  for (const Json& row : result.at("results")) {
    ids.insert(row.at("id"));
    EXPECT_EQ(row.at("valid"), true) << row.at("id");
    EXPECT_FALSE(row.at("counts").empty()) << row.at("id");
  }
  EXPECT_EQ(ids.size(), result.at("results").size());
}

TEST_F(BenchCommand, PrintsNoTableIfItIsQuietAndWritesAFile) {
  const Words words = {"bench", "reduction", "--size", "2^10", "--device", "simulator", "--quiet"};
  EXPECT_NE(run(words).out, "");
  EXPECT_EQ(run(with(words, {"--output", "base.json"})).out, "");
  const ProgramRun compared = run(with(words, {"--output", "new.json", "--baseline", "base.json"}));
  EXPECT_TRUE(compared.out.starts_with("compare · ")) << compared.out;
}

TEST_F(BenchCommand, MeasuresInAnotherOrderWithAnotherSeed) {
  const auto order_with = [&](const std::string& seed) {
    const ProgramRun bench = run(with(small_sweep, {"--order-seed", seed, "--format", "json"}));
    const Json document = Json::parse(bench.out);
    std::vector<std::string> ids;
    for (const Json& row : document.at("results")) ids.push_back(row.at("id"));
    return ids;
  };
  std::vector<std::string> first = order_with("1"), again = order_with("1"), another = order_with("2");
  EXPECT_EQ(first, again);
  EXPECT_NE(first, another);
  std::ranges::sort(first);
  std::ranges::sort(another);
  EXPECT_EQ(first, another);
}

TEST_F(BenchCommand, CountsTheSameOnOneCpuAsOnAll) {
  run(with(small_sweep, {"--output", "all.json"}));
  const pid_t child = ::fork();
  if (child == 0) {
    cpu_set_t first_cpu;
    CPU_ZERO(&first_cpu);
    CPU_SET(0, &first_cpu);
    ::sched_setaffinity(0, sizeof first_cpu, &first_cpu);
    redirect(STDOUT_FILENO, folder / ".stdout");
    execute(with(small_sweep, {"--output", "one.json"}), {});
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(counts_by_id(document("all.json")), counts_by_id(document("one.json")));
}

TEST_F(BenchCommand, CountsTwiceAsMuchOfAVectorSumTwiceAsLong) {
  run({"bench", "arbitrary-size", "--variant", "guarded", "--size", "2^12,2^13", "--device", "simulator",
       "--output", "new.json"});
  std::map<std::size_t, Json> counts;
  const Json result = document("new.json");
  for (const Json& row : result.at("results")) counts[row.at("size")] = row.at("counts");
  // Two arrays are read and one is written, 4 bytes each; a sector is 32 bytes.
  EXPECT_EQ(counts.at(4096).at("global_load_sectors"), 2 * 4096 * 4 / 32);
  EXPECT_EQ(counts.at(8192).at("global_load_sectors"), 2 * 8192 * 4 / 32);
  EXPECT_EQ(counts.at(8192).at("global_store_bytes"), 8192 * 4);
}

TEST_F(BenchCommand, KeepsWhatWasMeasuredWhenItIsInterrupted) {
  const Words sweep = {"bench", "histogram", "--size", "2^12..2^20:x2", "--device", "simulator"};
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string file = std::to_string(signal) + ".json";
    EXPECT_EQ(ended_by(signal, with(sweep, {"--output", file}), file, 2), 128 + signal);
    const Json kept = document(file);
    EXPECT_EQ(kept.at("complete"), false);
    EXPECT_EQ(kept.at("exit_code"), 128 + signal);
    EXPECT_TRUE(kept.at("stopped_by").get<std::string>().starts_with("it was interrupted by SIG"));
    EXPECT_GE(kept.at("results").size(), 2u);
    EXPECT_TRUE(contains(read(folder / ".stderr"), "--resume " + file));
  }
}

TEST_F(BenchCommand, MarksBothDocumentsOfAnInterruptedComparisonOfBuilds) {
  const Words sweep = {"bench",     "histogram", "--size", "2^12,2^14", "--device",
                       "simulator", "--runs",    "40",     "--against", program()};
  EXPECT_EQ(ended_by(SIGTERM, with(sweep, {"--baseline", "old.json", "--output", "new.json"}), "new.json", 8),
            128 + SIGTERM);
  for (const char* file : {"old.json", "new.json"}) {
    EXPECT_EQ(document(file).at("complete"), false) << file;
    EXPECT_EQ(document(file).at("stopped_by"), "it was interrupted by SIGTERM") << file;
  }
  EXPECT_FALSE(contains(read(folder / ".stderr"), "--resume"));
}

TEST_F(BenchCommand, LeavesAValidDocumentWhenItIsKilled) {
  const Words sweep = {"bench",    "histogram", "--size",   "2^12..2^20:x2",
                       "--device", "simulator", "--output", "k.json"};
  EXPECT_EQ(ended_by(SIGKILL, sweep, "k.json", 2), 128 + SIGKILL);
  EXPECT_EQ(document("k.json").at("complete"), false);
  EXPECT_GE(document("k.json").at("results").size(), 2u);
}

TEST_F(BenchCommand, ResumesWhereAnInterruptedOneEnded) {
  const Words sweep = {"bench", "histogram", "--size", "2^10..2^16:x2", "--device", "simulator"};
  ended_by(SIGINT, with(sweep, {"--output", "new.json"}), "new.json", 2);
  const std::size_t rows_before = rows_in("new.json");
  const ProgramRun resumed = run(with(sweep, {"--resume", "new.json"}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  const Json result = document("new.json");
  EXPECT_EQ(result.at("complete"), true);
  EXPECT_EQ(result.at("results").size(), 7u * 3);
  EXPECT_GT(result.at("results").size(), rows_before);
  run(with(sweep, {"--output", "whole.json"}));
  EXPECT_EQ(counts_by_id(result), counts_by_id(document("whole.json")));
}

TEST_F(BenchCommand, EndsWithItsTimeBudgetAndSaysWhatIsMissing) {
  const ProgramRun bench = run({"bench", "histogram", "--size", "2^10..2^22:x2", "--device", "simulator",
                                "--time-budget", "0.5", "--output", "new.json"});
  EXPECT_EQ(bench.exit_code, 5) << bench.err;
  EXPECT_EQ(document("new.json").at("complete"), false);
  EXPECT_EQ(document("new.json").at("exit_code"), 5);
  EXPECT_EQ(document("new.json").at("stopped_by"), "the time budget was used up");
  EXPECT_TRUE(contains(bench.err, "rows are in new.json"));
}

TEST_F(BenchCommand, SaysThatItsTimeBudgetEndedWhereNoTableIsShown) {
  const ProgramRun bench = run({"bench", "histogram", "--size", "2^10..2^22:x2", "--device", "simulator",
                                "--time-budget", "0.5", "--output", "new.json", "--quiet"});
  EXPECT_EQ(bench.exit_code, 5) << bench.err;
  EXPECT_TRUE(bench.err.starts_with("gpulab: not complete: ")) << bench.err;
  EXPECT_TRUE(contains(bench.err, " of 39 rows were measured (the time budget was used up)\n")) << bench.err;
}

constexpr const char* earlier = "{\"schema\": \"gpulab.bench\", \"results\": \"of an earlier run\"}";

TEST_F(BenchCommand, KeepsACompleteDocumentUntilThereIsANewOne) {
  const Words command = {"bench",    "histogram", "--size",   "2^12..2^20:x2",
                         "--device", "simulator", "--output", "k.json"};
  write("k.json", earlier);
  const pid_t child = start(command);
  for (int i = 0; i < 600 && !std::filesystem::exists(folder / "k.json.previous"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(read(folder / "k.json.previous"), earlier);
  run({"bench", "first-kernel", "--device", "simulator", "--output", "new.json"});
  EXPECT_EQ(run({"bench", "first-kernel", "--device", "simulator", "--output", "new.json"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "new.json.previous"));
}

TEST_F(BenchCommand, GoesOnAfterASignalThatItWasStartedToIgnore) {
  const auto before = ::signal(SIGHUP, SIG_IGN);  // as nohup does
  const pid_t child = start(
      {"bench", "histogram", "--size", "2^10..2^16:x2", "--device", "simulator", "--output", "new.json"});
  ::signal(SIGHUP, before);
  for (int i = 0; i < 600 && !std::filesystem::exists(folder / "new.json"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ::kill(child, SIGHUP);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(document("new.json").at("complete"), true);
}

TEST_F(BenchCommand, RefusesAFileThatAnotherOneIsWriting) {
  write("new.json", earlier);
  const pid_t child = ::fork();
  if (child == 0) {
    redirect(STDOUT_FILENO, folder / ".other");
    execute(
        {"bench", "histogram", "--size", "2^20,2^21,2^22", "--device", "simulator", "--output", "new.json"},
        {});
  }
  for (int i = 0; i < 600 && !std::filesystem::exists(folder / ".new.json.lock"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  expect_refusal({"bench", "histogram", "--size", "2^10", "--device", "simulator", "--output", "new.json"}, 2,
                 "cannot write new.json: another gpulab is writing it");
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 143);
}

TEST_F(BenchCommand, SaysWhatWasWrongWhereNoTableIsShown) {
  run({"show", "first-kernel", "--to", "mine"});
  write("mine/first_kernel.cu", "__global__ void first_kernel(");
  const ProgramRun bench = run({"bench", "first-kernel", "--device", "simulator", "--kernels", "mine",
                                "--quiet", "--output", "new.json"});
  EXPECT_EQ(bench.exit_code, 3) << bench.err;
  EXPECT_EQ(bench.out, "");
  EXPECT_TRUE(contains(bench.err, "gpulab: first-kernel: "));
  EXPECT_TRUE(contains(bench.err, "does not compile: line 1"));
  EXPECT_EQ(document("new.json")["complete"], true) << "the row says why";
}

// If its variable kept its value, the kernel would be right in its first launch only.
TEST_F(BenchCommand, GivesEachLaunchTheVariablesOfAFileThatWasJustLoaded) {
  run({"show", "arbitrary-size", "--to", "mine"});
  const std::string file = "mine/arbitrary_size.cu";
  std::string text = read(folder / file);
  const std::size_t guard = text.find("if (item < size)");
  ASSERT_NE(guard, std::string::npos);
  text.insert(guard, "if (item == 0) ++launches;\n  if (item == 0 && launches > 1) return;\n  ");
  write(file, "__device__ int launches;\n" + text);
  const ProgramRun bench = run({"bench", "arbitrary-size", "--variant", "guarded", "--size", "5000",
                                "--device", "simulator", "--kernels", "mine", "--output", "new.json"});
  EXPECT_EQ(bench.exit_code, 0) << bench.out << bench.err;
  EXPECT_EQ(document("new.json").at("results").at(0).at("valid"), true);
}

TEST_F(BenchCommand, LeavesAnEarlierDocumentWhenNothingIsMeasured) {
  write("good.json", earlier);
  const ProgramRun refused =
      run({"bench", "histogram", "--variant", "sharde", "--device", "simulator", "--output", "good.json"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(read(folder / "good.json"), earlier);
  EXPECT_FALSE(std::filesystem::exists(folder / "good.json.previous"));
  const ProgramRun early = run({"bench", "histogram", "--time-budget", "1e-9", "--device", "simulator"});
  EXPECT_EQ(early.exit_code, 2) << early.out;
  EXPECT_TRUE(contains(early.err, "nothing was measured"));
}

TEST_F(BenchCommand, RefusesKernelsThatAreNotThere) {
  expect_refusal({"bench", "histogram", "--kernels", "nowhere", "--device", "simulator"}, 2, "nowhere");
  expect_refusal({"bench", "histogram", "--device", "simulator", "--output", "new.csv"}, 2,
                 "write new.json, and then gpulab report new.json --output new.csv");
  run({"show", "histogram", "--to", "mine"});
  expect_refusal({"bench", "reduction", "--kernels", "mine", "--device", "simulator"}, 2, "mine");
  const ProgramRun some = run({"bench", "reduction", "histogram", "--size", "2^10", "--kernels", "mine",
                               "--device", "simulator", "--output", "new.json", "--quiet"});
  EXPECT_EQ(some.exit_code, 2);
  EXPECT_TRUE(contains(some.err, "--kernels mine has no reduction.cu, which reduction needs")) << some.err;
  EXPECT_TRUE(contains(some.err, "if the lesson was removed, do not name it")) << some.err;
  EXPECT_EQ(document("new.json")["results"].size(), 3u);
  EXPECT_EQ(document("new.json")["exit_code"], 2);
  EXPECT_EQ(document("new.json")["complete"], true);
  EXPECT_TRUE(contains(document("new.json")["remarks"].dump(), "mine has no reduction.cu"));
}

TEST_F(BenchCommand, WarnsOfAKernelThatDoesNotCompileBeforeItMeasures) {
  run({"show", "arbitrary-size", "--to", "mine"});
  write("mine/arbitrary_size.cu", "__global__ void broken( {}\n");
  const ProgramRun plan =
      run({"bench", "arbitrary-size", "--kernels", "mine", "--device", "simulator", "--dry-run", "--quiet"});
  EXPECT_EQ(plan.exit_code, 3);
  EXPECT_TRUE(plan.err.starts_with("gpulab: arbitrary-size: ")) << plan.err;
  EXPECT_EQ(std::ranges::count(plan.err, '\n'), 1) << plan.err;
  EXPECT_TRUE(contains(plan.err, "arbitrary_size.cu")) << plan.err;
}

TEST_F(BenchCommand, RefusesToResumeWithAnotherSize) {
  run({"bench", "histogram", "--size", "2^10", "--device", "simulator", "--output", "new.json"});
  expect_refusal({"bench", "histogram", "--size", "2^11", "--device", "simulator", "--resume", "new.json"}, 2,
                 "which is not asked for now");
}

TEST_F(BenchCommand, RefusesToResumeWithKernelsThatWereEditedSince) {
  const Words command = {"bench", "arbitrary-size", "--variant", "guarded",   "--size",
                         "2^10",  "--device",       "simulator", "--kernels", "mine"};
  run({"show", "arbitrary-size", "--to", "mine"});
  run(with(command, {"--output", "new.json"}));
  EXPECT_EQ(document("new.json")["plan"]["kernels"], "mine");
  EXPECT_EQ(run(with(command, {"--resume", "new.json"})).exit_code, 0);
  write("mine/arbitrary_size.cu", read(folder / "mine/arbitrary_size.cu") + "// edited\n");
  expect_refusal(
      with(command, {"--resume", "new.json"}), 2,
      "the kernels of arbitrary-size in mine are not those that were measured before: measure again");
  run(with(command, {"--output", "edited.json"}));
  expect_refusal({"bench", "arbitrary-size", "--variant", "guarded", "--size", "2^10", "--device",
                  "simulator", "--resume", "edited.json"},
                 2, "are not those that were measured before, of the folder mine: measure again");
}

TEST_F(BenchCommand, StatesTheCompilerAndRefusesToResumeWithAnother) {
  if (run({"doctor"}, {{"GPULAB_CXX", "clang++"}}).exit_code != 0) GTEST_SKIP() << "needs clang++";
  const Words command = {"bench",  "coalescing", "--variant", "stride-1",
                         "--size", "2^10",       "--device",  "simulator"};
  const std::map<std::string, std::string> gcc = {{"GPULAB_CXX", "g++"}}, clang = {{"GPULAB_CXX", "clang++"}};
  run(with(command, {"-o", "gcc.json"}), gcc);
  run(with(command, {"-o", "clang.json"}), clang);
  const std::string with_gcc = document("gcc.json")["device"]["compiler_version"];
  const std::string with_clang = document("clang.json")["device"]["compiler_version"];
  EXPECT_TRUE(with_gcc.starts_with("g++ 1")) << with_gcc;
  EXPECT_TRUE(with_clang.starts_with("clang++ 1")) << with_clang;
  const ProgramRun report = run({"report", "gcc.json", "clang.json", "--strict"});
  EXPECT_EQ(report.exit_code, 5);
  EXPECT_TRUE(contains(report.out, "the compilers of the kernels differ: ")) << report.out;
  EXPECT_EQ(run(with(command, {"--resume", "gcc.json"}), gcc).exit_code, 0);
  const ProgramRun resumed = run(with(command, {"--resume", "gcc.json"}), clang);
  EXPECT_EQ(resumed.exit_code, 2);
  EXPECT_TRUE(contains(resumed.err, "was compiled by " + with_gcc)) << resumed.err;
}

TEST_F(BenchCommand, SaysThatKernelsChangedWhileItWasRunning) {
  run({"show", "arbitrary-size", "--to", "mine"});
  std::thread editor([&] {
    for (int i = 0; i < 600 && rows_in("new.json") < 1; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    write("mine/arbitrary_size.cu", read(folder / "mine/arbitrary_size.cu") + "// edited\n");
  });
  const ProgramRun bench =
      run({"bench", "arbitrary-size", "--variant", "guarded", "--size", "2^10", "--device", "simulator",
           "--kernels", "mine", "--runs", "50", "--output", "new.json"});
  editor.join();
  EXPECT_EQ(bench.exit_code, 2);
  EXPECT_TRUE(contains(bench.err, "the kernels of arbitrary-size in mine changed while bench was running"));
}

TEST_F(BenchCommand, NamesTheFolderForTemporaryFilesThatIsNotThere) {
  const ProgramRun failed = run({"bench", "arbitrary-size", "--size", "100", "--device", "simulator"},
                                {{"TMPDIR", (folder / "none").string()}, {"XDG_CACHE_HOME", "/proc/none"}});
  EXPECT_EQ(failed.exit_code, 4);
  EXPECT_TRUE(contains(
      failed.err, "cannot use the folder for temporary files, TMPDIR=" + (folder / "none").string() + ": "));
}

TEST_F(BenchCommand, LeavesOutAVariantWhoseFileIsGone) {
  const Words command = {"bench",    "histogram", "--size",    "2^10",
                         "--device", "simulator", "--kernels", "mine"};
  run({"show", "histogram", "--to", "mine"});
  run(with(command, {"--output", "base.json"}));
  const std::string text = read(folder / "mine/shared_histogram_private_copies.cu");
  std::filesystem::remove(folder / "mine/shared_histogram_private_copies.cu");
  write("mine/sums_of_mine.cu", text);
  const ProgramRun bench = run(with(command, {"--output", "new.json", "--quiet"}));
  EXPECT_EQ(bench.exit_code, 0);
  EXPECT_EQ(bench.err,
            "gpulab: shared-histogram private-copies was left out: the folder of --kernels has no "
            "shared_histogram_private_copies.cu\n");
  EXPECT_EQ(document("new.json")["complete"], true);
  for (const std::string& said :
       {read(folder / "new.json"), run({"histogram", "--size", "2^10", "--kernels", "mine"}).err,
        run({"inspect", "histogram", "--size", "2^10", "--kernels", "mine"}).err})
    EXPECT_TRUE(contains(said, "mine/sums_of_mine.cu is a file of no lesson, and is left out"));
  EXPECT_LT(rows_in("new.json"), rows_in("base.json"));
  EXPECT_TRUE(contains(read(folder / "new.json"), "has no shared_histogram_private_copies.cu"));
  const ProgramRun report = run({"report", "base.json", "new.json"});
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_TRUE(contains(report.out, "1 missing"));
  EXPECT_TRUE(contains(report.out, "now: mine/sums_of_mine.cu is a file of no lesson")) << report.out;
  EXPECT_EQ(run({"report", "base.json", "new.json", "--strict"}).exit_code, 5);
}

TEST_F(BenchCommand, FailsByStrictRulesIfNoLessonMeasuresAFileOfTheFolder) {
  run({"show", "histogram", "--to", "mine"});
  const Words command = {"bench",  "histogram", "--device",  "simulator",
                         "--size", "2^10",      "--kernels", "mine"};
  run(with(command, {"--output", "base.json"}));
  write("mine/reduction.cu", "int x = ;\n");
  write("mine/unknown_kernel.cu", "__global__ void unknown_kernel() {}\n");
  EXPECT_EQ(run(with(command, {"-o", "new.json"})).exit_code, 0);
  EXPECT_EQ(document("new.json").at("plan").at("unknown_kernels"), Json({"mine/unknown_kernel.cu"}));
  EXPECT_EQ(run({"report", "base.json", "new.json"}).exit_code, 0);
  const ProgramRun strict = run({"report", "base.json", "new.json", "--strict"});
  EXPECT_EQ(strict.exit_code, 5);
  EXPECT_TRUE(
      contains(strict.out,
               "fails by --strict: mine has edited files of reduction, which is not measured: name it, "
               "too; no lesson measures"))
      << strict.out;
  EXPECT_TRUE(contains(strict.out, "mine/unknown_kernel.cu: put what is no kernel")) << strict.out;
  EXPECT_EQ(run({"report", "new.json", "new.json"}).exit_code, 0);
  std::filesystem::rename(folder / "mine", folder / "later");
  run({"bench", "histogram", "--device", "simulator", "--size", "2^10", "--kernels", "later", "-o",
       "later.json"});
  const ProgramRun later = run({"report", "new.json", "later.json", "--strict"});
  EXPECT_EQ(later.exit_code, 0) << "the file is on both sides" << later.out;
  EXPECT_TRUE(contains(later.out, "now: later/unknown_kernel.cu is a file of no lesson")) << later.out;
}

TEST_F(BenchCommand, SaysThatNoLessonLaunchesAKernelThatWasAddedToItsFile) {
  run({"show", "reduction", "--to", "mine"});
  write("mine/reduction.cu",
        "// Mine.\n__global__ void mine(float* x) {}\n" + read(folder / "mine/reduction.cu"));
  run({"bench", "reduction", "--device", "simulator", "--size", "2^10", "--kernels", "mine", "-o",
       "new.json"});
  EXPECT_TRUE(
      contains(read(folder / "new.json"),
               "mine/reduction.cu:2 has a kernel mine, which no lesson launches, so it is not measured"));
}

TEST_F(BenchCommand, SaysACompileErrorOnceForAllThatItBreaks) {
  run({"show", "histogram", "--to", "mine"});
  const Words command = {"bench",    "histogram", "--size",    "2^10,2^12",
                         "--device", "simulator", "--kernels", "mine"};
  run(with(command, {"--output", "base.json"}));
  write("mine/shared_histogram.cu", "__global__ void broken( {}\n");
  const auto errors_in = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("does not compile", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  const ProgramRun bench = run(with(command, {"--output", "new.json"}));
  EXPECT_EQ(errors_in(bench.out), 1u) << bench.out;
  const ProgramRun quiet = run(with(command, {"--output", "new.json", "--quiet"}));
  EXPECT_EQ(errors_in(quiet.err), 1u) << quiet.err;
  const ProgramRun report = run({"report", "base.json", "new.json"});
  EXPECT_EQ(report.exit_code, 3) << "as bench";
  EXPECT_EQ(errors_in(report.out), 1u) << report.out;
  EXPECT_TRUE(contains(report.out, "(and 3 more like it)")) << report.out;
}

TEST_F(BenchCommand, RefusesAFolderWithAMisspeltKernelFile) {
  run({"show", "histogram", "--to", "mine"});
  std::filesystem::rename(folder / "mine/shared_histogram_private_copies.cu",
                          folder / "mine/shared_histogram_private_copy.cu");
  for (const Words& command :
       {Words{"bench", "histogram", "--device", "simulator"}, Words{"bench", "--device", "simulator"},
        Words{"histogram", "--device", "simulator"}, Words{"inspect", "histogram"}})
    expect_refusal(with(command, {"--size", "2^10", "--kernels", "mine"}), 2,
                   "mine/shared_histogram_private_copy.cu is a file of no lesson, so nothing was run or "
                   "measured; did you mean 'shared_histogram_private_copies.cu'?");
}

TEST_F(BenchCommand, StopsAKernelThatHangsOnceAndSaysSo) {
  write_kernels_with_guard("while (size > 0) {}\n  if (item < size)");
  const ProgramRun bench = run({"bench", "arbitrary-size", "--variant", "guarded", "--size", "1000,2000",
                                "--device", "simulator", "--kernels", "mine", "--output", "new.json"},
                               {{"GPULAB_TIME_LIMIT", "1"}});
  EXPECT_EQ(bench.exit_code, 1) << bench.out << bench.err;
  const Json rows = document("new.json").at("results");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("observed"), "defect");
  EXPECT_GT(rows[0].at("line"), 0);
  EXPECT_TRUE(
      contains(rows[0].at("explanation"), "kernel vector_add_guarded was stopped: no thread returned"));
  EXPECT_TRUE(contains(rows[0].at("explanation"), "see gpulab explain time-limit"));
  EXPECT_EQ(rows[1].at("observed"), "not_run");
  EXPECT_TRUE(contains(rows[1].at("explanation"), "because it did not end, and is not run again"));
}

TEST_F(BenchCommand, TakesNoBaselineAndNoOutputForADryRun) {
  for (const Words& words : {Words{"--output", "plan.json"}, Words{"--baseline", "base.json", "--strict"}}) {
    Words all{"bench", "histogram", "--dry-run"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramRun refused = run(all);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_TRUE(contains(refused.err, "--dry-run measures nothing"));
  }
}

TEST_F(BenchCommand, RefusesATimeLimitWithWhichNothingCanRun) {
  write("shared_histogram.cu",
        read(std::filesystem::path(GPULAB_SOURCE) / "exercises/shared_histogram/starter.cu"));
  for (const Words& words : {Words{"bench", "histogram", "--size", "1000", "--output", "new.json"},
                             Words{"check", "shared_histogram.cu"}}) {
    const ProgramRun refused = run(words, {{"GPULAB_TIME_LIMIT", "10s"}});
    EXPECT_EQ(refused.exit_code, 2) << refused.out << refused.err;
    EXPECT_TRUE(contains(refused.err, "GPULAB_TIME_LIMIT is '10s'; give the number of seconds"));
    EXPECT_FALSE(contains(refused.err, "cannot go on")) << refused.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "new.json"));
}

TEST_F(BenchCommand, ShowsNothingOfWhatKernelsPrint) {
  write_kernels_with_guard("printf(\"::error::owned\\n\");\n  if (item < size)");
  const ProgramRun bench = run({"bench", "arbitrary-size", "--variant", "guarded", "--size", "2^10",
                                "--device", "simulator", "--kernels", "mine"});
  EXPECT_EQ(bench.exit_code, 0) << bench.err;
  EXPECT_FALSE(contains(bench.out + bench.err, "owned")) << bench.out << bench.err;
}

TEST_F(BenchCommand, FindsAMissingGuardAtASizeThatFitsTheBlock) {
  write_kernels_with_guard("if (item <= size)");
  const ProgramRun bench = run({"bench", "arbitrary-size", "--variant", "guarded", "--size", "2^10",
                                "--device", "simulator", "--kernels", "mine"});
  EXPECT_EQ(bench.exit_code, 1) << bench.out << bench.err;
}

std::string with_change(std::string text, const std::string& old, const std::string& by) {
  return text.replace(text.find(old), old.size(), by);
}

TEST_F(BenchCommand, JudgesAnEditedKernelAtASizeThatFitsNoBlock) {
  const Words command = {"bench",     "arbitrary-size", "--size",  "2^10,2^12", "--device", "simulator",
                         "--kernels", "mine",           "--quiet", "--output",  "new.json"};
  write_kernels_with_guard("if (item < size / 256 * 256)");
  const ProgramRun wrong = run(command);
  EXPECT_EQ(wrong.exit_code, 1) << wrong.err;
  EXPECT_TRUE(contains(wrong.err, "arbitrary-size, guarded at size 1 024: at 1 023 elements: ")) << wrong.err;
  EXPECT_TRUE(contains(wrong.err, "arbitrary-size, guarded at size 4 096: at 4 095 elements: ")) << wrong.err;
  std::filesystem::remove_all(folder / "mine");
  write_kernels_with_guard("if (item < size / 1)");
  EXPECT_EQ(run(command).exit_code, 0) << "right at each size";
  const ProgramRun partly = run(with(command, {"--variant", "no-guard,guarded"}));
  EXPECT_EQ(partly.exit_code, 0) << "what is right in whole blocks is not tried elsewhere" << partly.err;
}

TEST_F(BenchCommand, LeavesOutAKernelThatWasTakenOutOfItsFile) {
  const Words command = {"bench",    "histogram", "--size",    "2^10", "--quiet",
                         "--device", "simulator", "--kernels", "mine"};
  run({"show", "histogram", "--to", "mine"});
  run(with(command, {"--output", "base.json"}));
  const std::string file = "mine/shared_histogram.cu", text = read(folder / file);
  const std::string name = "histogram_global_atomic";
  const std::size_t begin = text.find("__global__ void " + name), end = text.find("\n}\n", begin) + 3;
  const std::string said =
      "gpulab: shared-histogram global-atomic was left out: " + file + " has no kernel " + name;
  for (const auto& [changed, misspelt] :
       {std::pair(text.substr(0, begin) + text.substr(end), ""),
        {text.substr(0, begin) + "__global__ void " + name + "s" + text.substr(text.find('(', begin)),
         "; it has histogram_global_atomics: is that the one, misspelt?"}}) {
    write(file, changed);
    const ProgramRun bench = run(with(command, {"--output", "new.json"}));
    EXPECT_EQ(bench.exit_code, 0) << bench.err;
    EXPECT_EQ(bench.err, said + misspelt + "\n");
    EXPECT_EQ(document("new.json")["complete"], true);
    EXPECT_TRUE(contains(read(folder / "new.json"), "has no kernel " + name));
    EXPECT_EQ(run(with(command, {"--variant", "global-atomic"})).exit_code, 3) << "asked for";
  }
  const auto strict = [&](const Words& words) { return run(with({"report", "--strict"}, words)).exit_code; };
  EXPECT_EQ(strict({"base.json", "new.json"}), 5);
  EXPECT_EQ(strict({"base.json", "new.json", "--allow", "histogram/global-atomic:missing"}), 0);
  run(with(command, {"--output", "later.json"}));
  EXPECT_EQ(strict({"new.json", "later.json"}), 0) << "the next pull request";
  for (const std::string& kept : {text.substr(0, begin) + "__globl__" + text.substr(begin + 10),
                                  with_change(text, name + "(const int* input", name + "(float input"),
                                  std::string("__global__ void other(int* a) {}\n")}) {
    write(file, kept);
    EXPECT_EQ(run(command).exit_code, 3) << kept;
  }
}

TEST_F(BenchCommand, ReadsADocumentWithAByteOrderMark) {
  const Words command = {"bench",  "coalescing", "--variant", "stride-1",
                         "--size", "2^10",       "--device",  "simulator"};
  run(with(command, {"--output", "new.json"}));
  write("marked.json", "\xEF\xBB\xBF" + read(folder / "new.json"));
  const ProgramRun report = run({"report", "new.json", "marked.json"});
  EXPECT_EQ(report.exit_code, 0) << report.err;
}

TEST_F(BenchCommand, MeasuresOnWhileTheDiskIsFullAndFailsInTheEnd) {
  const auto disk = folder / "disk";
  std::filesystem::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=4k") != 0)
    GTEST_SKIP() << "only root can make a full disk";
  std::ofstream(disk / "rest") << std::string(4096, 'x');
  const ProgramRun bench = run(
      {"bench", "histogram", "--size", "2^10,2^12", "--device", "simulator", "--output", "disk/new.json"});
  EXPECT_EQ(bench.exit_code, 4) << bench.err;
  EXPECT_TRUE(contains(bench.err, "measuring goes on"));
  EXPECT_TRUE(contains(bench.out, "shared-histogram"));
  EXPECT_FALSE(std::filesystem::exists(disk / "new.json"));
  ::umount(disk.c_str());
}

TEST_F(BenchCommand, EndsWithFourWhereTheDiskIsFullWhileItCompiles) {
  const auto disk = folder / "disk";
  std::filesystem::create_directory(disk);
  for (const char* size : {"size=8k", "size=100k", "size=200k"}) {
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, size) != 0)
      GTEST_SKIP() << "only root can make a full disk";
    const ProgramRun bench = run({"bench", "histogram", "--size", "2^10", "--device", "simulator"},
                                 {{"TMPDIR", disk.string()}, {"XDG_CACHE_HOME", disk.string()}});
    EXPECT_EQ(bench.exit_code, 4) << size << bench.err;
    EXPECT_TRUE(contains(bench.err, "cannot write ")) << bench.err;
    EXPECT_TRUE(contains(bench.err, "disk") && contains(bench.err, " full")) << bench.err;
    ::umount(disk.c_str());
  }
}

TEST_F(BenchCommand, ComparesWithABaseline) {
  const Words command = {"bench",  "coalescing", "--variant", "stride-1",
                         "--size", "2^14",       "--device",  "simulator"};
  run(with(command, {"--output", "base.json"}));
  const ProgramRun same = run(with(command, {"--baseline", "base.json"}));
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  EXPECT_TRUE(contains(same.out, "same"));

  const ProgramRun other = run({"bench", "arbitrary-size", "--variant", "guarded", "--size", "2^14",
                                "--device", "simulator", "--baseline", "base.json"});
  EXPECT_EQ(other.exit_code, 2) << other.out << other.err;
  EXPECT_TRUE(contains(other.err, "nothing was measured both before and now"));
}

TEST_F(BenchCommand, RefusesWhatCannotBeComparedBeforeItMeasures) {
  const Words command = {"bench", "coalescing", "--variant", "stride-1", "--device", "simulator"};
  run(with(command, {"--size", "2^10", "--output", "base.json"}));
  const Words now = with(command, {"--baseline", "base.json", "--output", "new.json"});
  expect_refusal(with(now, {"--size", "2^11"}), 2, "nothing was measured both before and now: the sizes");
  expect_refusal(with(now, {"--size", "2^10", "--seed", "7"}), 2, "the seeds");
  expect_refusal(with(now, {"--size", "2^10", "--allow", "shared_load_wavefront"}), 2,
                 "--allow shared_load_wavefront: no figure here has this name");
  EXPECT_FALSE(std::filesystem::exists(folder / "new.json"));
}

TEST_F(BenchCommand, EndsWithFiveWhenAKernelTouchesMoreMemory) {
  const Words command = {"bench", "arbitrary-size", "--variant", "guarded",   "--size",
                         "2^14",  "--device",       "simulator", "--kernels", "mine"};
  run({"show", "arbitrary-size", "--to", "mine"});
  run(with(command, {"--output", "base.json"}));
  const std::string file = "mine/arbitrary_size.cu";
  std::string text = read(folder / file);
  const std::string sum = "C[item] = A[item] + B[item]";
  const std::size_t at = text.find(sum, text.find("vector_add_guarded"));
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, sum.size(), "C[item] = A[item] + B[item] + 0 * A[size - 1 - item]");
  write(file, text);
  const ProgramRun slower = run(with(command, {"--baseline", "base.json"}));
  EXPECT_EQ(slower.exit_code, 5) << slower.out << slower.err;
  EXPECT_TRUE(contains(slower.out, "regressed"));
  EXPECT_TRUE(contains(slower.out, "global_load_sectors"));
  EXPECT_TRUE(contains(slower.out, "--kernels mine, "));

  const ProgramRun quiet = run(with(command, {"--baseline", "base.json", "--format", "json", "--quiet"}));
  EXPECT_EQ(quiet.exit_code, 5);
  EXPECT_TRUE(quiet.err.starts_with("gpulab: 2 regressed, ")) << quiet.err;

  Words allowed = with(command, {"--baseline", "base.json"});
  for (const char* figure : {"global_load_sectors", "global_load_bytes"})
    allowed = with(allowed, {"--allow", figure});
  const ProgramRun accepted = run(allowed);
  EXPECT_EQ(accepted.exit_code, 0) << accepted.out << accepted.err;
  EXPECT_TRUE(contains(accepted.out, "allowed"));
  const ProgramRun unknown = run(with(allowed, {"--allow", "sectors"}));
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "--allow sectors: no figure here has this name"));
}

TEST_F(BenchCommand, PrintsThePlanOfADryRun) {
  const ProgramRun plan =
      run({"bench", "histogram", "--size", "2^10,2^12", "--device", "simulator", "--dry-run"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_TRUE(contains(plan.out, "shared-histogram shared size=1024"));
  EXPECT_TRUE(contains(plan.out, "6 rows in one process, in about "));
}

TEST_F(BenchCommand, PrintsTheRowsOfADryRunAlone) {
  const ProgramRun plan =
      run({"bench", "histogram", "--size", "2^10", "--device", "simulator", "--dry-run=rows"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_TRUE(contains(plan.out, "shared-histogram shared size=1024"));
  EXPECT_EQ(std::ranges::count(plan.out, '\n'), 3) << plan.out;
  expect_refusal({"bench", "histogram", "--dry-run=rows", "--format", "json"}, 2,
                 "--dry-run=rows prints lines");
}

TEST_F(BenchCommand, LeavesOutWhatNeedsMoreGpusAndSaysWhichOptionHelps) {
  const Words command = {"bench", "scaling", "--size", "2^10", "--device", "simulator"};
  const ProgramRun plan = run(with(command, {"--dry-run"}));
  EXPECT_TRUE(contains(plan.out, "not measured: scaling strong-8 was left out: it needs 8 GPUs: --gpus 8"));
  EXPECT_TRUE(contains(plan.out, "6 rows in one process"));
  EXPECT_EQ(run(with(command, {"-o", "new.json"})).exit_code, 0);
  EXPECT_EQ(document("new.json")["plan"]["rows"], 6);
  EXPECT_EQ(document("new.json")["remarks"].size(), 2u);
  EXPECT_EQ(rows_in("new.json"), 6u);
  expect_refusal(with(command, {"--variant", "strong-8"}), 2,
                 "there is nothing to measure: scaling strong-8 was left out: it needs 8 GPUs: --gpus 8");
}

TEST_F(BenchCommand, PlansOnlyWhatADocumentLacks) {
  const Words command = {"bench", "histogram", "--device", "simulator"};
  run(with(command, {"--size", "2^10", "-o", "part.json"}));
  const ProgramRun plan = run(with(command, {"--size", "2^10,2^12", "--resume", "part.json", "--dry-run"}));
  EXPECT_TRUE(contains(plan.out, "shared-histogram shared size=4096")) << plan.out << plan.err;
  EXPECT_FALSE(contains(plan.out, "size=1024"));
  EXPECT_TRUE(contains(plan.out, "3 rows in one process"));
}

TEST_F(BenchCommand, NamesTheSizesAtWhichAKernelIsWrong) {
  const Words command = {"bench",    "arbitrary-size", "--variant", "guarded", "--size", "1000,2000,3000",
                         "--device", "simulator",      "--kernels", "mine",    "--quiet"};
  const auto errors = [&] { return run(with(command, {"-o", "new.json"})).err; };
  write_kernels_with_guard("if (item < size");
  std::string err = errors();
  EXPECT_EQ(std::ranges::count(err, '\n'), 1) << err;
  EXPECT_TRUE(err.starts_with("gpulab: arbitrary-size: ")) << err;
  std::filesystem::remove_all(folder / "mine");
  write_kernels_with_guard("if (item < size && size != 2000)");
  err = errors();
  EXPECT_TRUE(err.starts_with("gpulab: arbitrary-size, guarded at size 2 000: ")) << err;
}

TEST_F(BenchCommand, LetsAVariantBeRemovedWhereAllowSaysSo) {
  const Words command = {"bench",     "histogram", "--size", "2^10",   "--device",
                         "simulator", "--kernels", "mine",   "--quiet"};
  run({"show", "histogram", "--to", "mine"});
  run(with(command, {"--output", "base.json"}));
  write("mine/shared_histogram.cu", read(folder / "mine/shared_histogram.cu") + "\n");
  run(with(command, {"--output", "again.json"}));
  std::filesystem::remove(folder / "mine/shared_histogram_private_copies.cu");
  run(with(command, {"--output", "new.json"}));
  const auto strict = [&](const Words& words) { return run(with({"report", "--strict"}, words)); };
  const std::string option = "--allow shared-histogram/private-copies:missing";
  const ProgramRun refused = strict({"--format", "md", "base.json", "new.json"});
  EXPECT_EQ(refused.exit_code, 5);
  EXPECT_TRUE(contains(refused.out, "if what is missing was removed on purpose, add " + option))
      << refused.out;
  EXPECT_EQ(strict({"--allow", "histogram/private-copies:missing", "base.json", "new.json"}).exit_code, 0);
  EXPECT_EQ(strict({"--allow", "histogram/shared:missing", "base.json", "new.json"}).exit_code, 5);
  EXPECT_EQ(strict({"new.json", "base.json"}).exit_code, 0) << "rows that are new";
  const ProgramRun needless = strict({"--allow", "histogram/shared:missing", "base.json", "again.json"});
  EXPECT_EQ(needless.exit_code, 0);
  EXPECT_TRUE(contains(needless.out, "allowed nothing: no row is missing")) << needless.out;
}

TEST_F(BenchCommand, CallsARepairNoFailure) {
  const Words command = {"bench",     "histogram", "--size", "2^10",   "--device",
                         "simulator", "--kernels", "mine",   "--quiet"};
  run({"show", "histogram", "--to", "mine"});
  const std::string file = "mine/shared_histogram_private_copies.cu", right = read(folder / file);
  for (const std::string& broken : {right + "int x = ;\n", with_change(right, "(bin + copy) % lanes", "0")}) {
    write(file, broken);
    run(with(command, {"--variant", "private-copies", "--output", "base.json"}));
    write(file, right);
    run(with(command, {"--variant", "private-copies", "--output", "new.json"}));
    const ProgramRun report = run({"report", "base.json", "new.json", "--strict"});
    EXPECT_EQ(report.exit_code, 0) << report.out << report.err;
    const ProgramRun github = run({"report", "base.json", "new.json", "--format", "github"});
    EXPECT_FALSE(contains(github.out, "::warning")) << github.out;
    EXPECT_EQ(run({"report", "new.json", "base.json", "--strict"}).exit_code,
              broken.ends_with("= ;\n") ? 3 : 1);
  }
}

TEST_F(BenchCommand, RefusesInAPlanToContinueWithOtherKernels) {
  run({"show", "histogram", "--to", "mine"});
  const Words command = {"bench", "histogram", "--variant", "shared",    "--size",
                         "2^10",  "--device",  "simulator", "--kernels", "mine"};
  run(with(command, {"-o", "new.json"}));
  EXPECT_EQ(run(with(command, {"--resume", "new.json", "--dry-run=rows"})).exit_code, 0);
  write("mine/shared_histogram.cu", read(folder / "mine/shared_histogram.cu") + "// edited\n");
  expect_refusal(with(command, {"--resume", "new.json", "--dry-run=rows"}), 2,
                 "are not those that were measured before");
}

TEST_F(BenchCommand, RunsAKernelThatDoesNotEndAtOneSize) {
  run({"show", "histogram", "--to", "mine"});
  const std::string file = "mine/shared_histogram_private_copies.cu";
  std::string text = read(folder / file);
  const std::string step = "copy < lanes; ++copy";
  text.replace(text.find(step), step.size(), "copy < lanes; copy &= 1");
  write(file, text);
  const ProgramRun stopped = run({"bench", "histogram", "--variant", "private-copies", "--size", "2^10,2^12",
                                  "--device", "simulator", "--kernels", "mine", "--quiet", "-o", "new.json"});
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_TRUE(contains(stopped.err, "at size 4 096: it was stopped at 1 024 work items")) << stopped.err;
}

TEST_F(BenchCommand, StartsNoProcessAfterItsTimeBudget) {
  const auto start = std::chrono::steady_clock::now();
  run({"bench", "first-kernel", "--size", "2^10", "--device", "simulator", "--runs", "1000", "--time-budget",
       "1"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(BenchCommand, TellsClaimsAboutOnePairApart) {
  run({"bench", "coalescing", "--variant", "stride-1", "--variant", "stride-32", "--size", "2^12", "--device",
       "simulator", "-o", "new.json"});
  EXPECT_FALSE(contains(read(folder / "new.json"), "inconclusive"));
  EXPECT_TRUE(contains(read(folder / "new.json"), "fewer_counted"));
}

TEST_F(BenchCommand, ReplacesNoSourceCodeAndNoOtherDocument) {
  run({"show", "histogram", "--to", "mine"});
  write("other.json", "{\"schema\": \"gpulab.run\"}\n");
  const Words command = {"bench", "histogram", "--variant", "shared",    "--size",
                         "2^10",  "--device",  "simulator", "--kernels", "mine"};
  for (const auto& [file, what] :
       {std::pair<std::string, std::string>("mine/shared_histogram.cu", "is source code"),
        {"other.json", "has a document \"gpulab.run\""}}) {
    const std::string text = read(folder / file);
    const ProgramRun bench = run(with(command, {"-o", file}));
    EXPECT_EQ(bench.exit_code, 2);
    EXPECT_TRUE(contains(bench.err, "gpulab: " + file + " " + what + ", which would be replaced"))
        << bench.err;
    EXPECT_EQ(contains(bench.err, "as it was before"), file == "other.json") << bench.err;
    EXPECT_EQ(read(folder / file), text);
  }
  for (const char* file : {"package.json", "ci.yml", "notes.txt", "deploy.sh", "Dockerfile", "COPY"}) {
    write(file, "{\"name\": \"x\"}\n");
    EXPECT_EQ(run(with(command, {"-o", file})).exit_code, 2) << file;
    EXPECT_EQ(read(folder / file), "{\"name\": \"x\"}\n");
  }
  write("empty", "");
  for (int time = 0; time < 2; ++time) EXPECT_EQ(run(with(command, {"-o", "empty"})).exit_code, 0);
}

TEST_F(BenchCommand, SaysQuietlyWhatIsWrongInADocumentThatItContinues) {
  run({"show", "histogram", "--to", "mine"});
  write("mine/shared_histogram.cu", "__global__ void broken( {}\n");
  const Words command = {"bench",    "histogram", "--size",    "2^10", "--quiet",
                         "--device", "simulator", "--kernels", "mine"};
  const ProgramRun whole = run(with(command, {"--output", "new.json"}));
  const ProgramRun resumed = run(with(command, {"--resume", "new.json"}));
  EXPECT_EQ(resumed.exit_code, 3);
  EXPECT_EQ(resumed.err, whole.err);
  EXPECT_TRUE(contains(resumed.err, "shared_histogram.cu does not compile")) << resumed.err;
}

TEST_F(BenchCommand, SaysWhichLessonsTheSimulatorCountsNothingIn) {
  const Words command = {"bench",     "runtime-api", "multi-gpu", "--variant",   "graph",
                         "--variant", "one-gpu",     "--variant", "two-streams", "--size",
                         "2^10",      "--device",    "simulator"};
  const std::string said = "the simulator counts nothing in multi-gpu/graph, runtime-api\n";
  const ProgramRun shown = run(command);
  EXPECT_TRUE(contains(shown.out, "not counted\n")) << shown.out;
  EXPECT_TRUE(contains(shown.out, said)) << shown.out;
  const ProgramRun quiet = run(with(command, {"--quiet", "-o", "new.json"}));
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_EQ(quiet.err, "gpulab: " + said);
  run({"report", "new.json", "-o", "page.html"});
  EXPECT_TRUE(contains(read(folder / "page.html"), "Not counted:"));
  EXPECT_FALSE(contains(read(folder / "page.html"), "Complete."));
  run(with(command, {"-o", "later.json"}));
  const ProgramRun strict = run({"report", "new.json", "later.json", "--strict", "--format", "github"});
  EXPECT_EQ(strict.exit_code, 0) << strict.out;
  EXPECT_TRUE(
      contains(strict.out, "::not judged: the simulator counts nothing in multi-gpu/graph, runtime-api"))
      << strict.out;
}

TEST_F(BenchCommand, RefusesABaselineThatItContinues) {
  const Words command = {"bench", "histogram", "--size", "2^10", "--device", "simulator", "--quiet"};
  run(with(command, {"--output", "base.json"}));
  const ProgramRun bench =
      run(with(command, {"--resume", "base.json", "--baseline", "base.json", "--strict"}));
  EXPECT_EQ(bench.exit_code, 2);
  EXPECT_TRUE(contains(bench.err, "--baseline and --resume name the same file")) << bench.err;
  const ProgramRun compared = run(with(command, {"--output", "new.json", "--baseline", "base.json"}));
  EXPECT_TRUE(compared.out.starts_with("compare ")) << compared.out;
  write("new.json.previous", read(folder / "base.json"));
  EXPECT_EQ(run(with(command, {"--resume", "new.json"})).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "new.json.previous"));
}

TEST_F(BenchCommand, SaysQuietlyWhatABlockSizeLeavesOut) {
  const ProgramRun bench = run({"bench", "histogram", "--size", "2^10", "--device", "simulator",
                                "--block-size", "128", "--quiet", "-o", "new.json"});
  EXPECT_EQ(bench.exit_code, 0);
  EXPECT_TRUE(contains(bench.err, "private-copies was left out: it does not support blocks of 128"))
      << bench.err;
}

TEST_F(BenchCommand, NamesTheFileOfALineInEveryReport) {
  run({"show", "histogram", "--to", "mine"});
  const std::string file = "shared_histogram_private_copies.cu";
  write("mine/" + file,
        with_change(read(folder / "mine" / file), "&output[bin], sum", "&output[1000000 + bin], sum"));
  run({"bench", "histogram", "--size", "2^10", "--device", "simulator", "--kernels", "mine", "--quiet", "-o",
       "new.json"});
  for (const char* format : {"text", "md", "junit"}) {
    const std::string report = run({"report", "new.json", "--format", format}).out;
    EXPECT_TRUE(contains(report, "mine/")) << report;
    EXPECT_TRUE(contains(report, ".cu: out of bounds")) << report;
  }
  EXPECT_TRUE(contains(run({"report", "new.json", "--format", "junit"}).out,
                       "file=\"mine/" + file + "\" line=\"66\""));
}

TEST_F(BenchCommand, NamesVariantsThatItMeasuresOnlyByName) {
  const ProgramRun plan = run({"bench", "constant", "--size", "2^10", "--device", "simulator", "--dry-run"});
  EXPECT_TRUE(contains(plan.out, "constant per-lane was left out: it is right here, but not at every size"));
}

TEST_F(BenchCommand, PrintsThePlanOfADryRunAsJson) {
  const ProgramRun plan = run({"bench", "histogram", "--size", "2^10,2^12", "--device", "simulator",
                               "--dry-run", "--runs", "2", "--format", "json", "--quiet"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  const nlohmann::json document = nlohmann::json::parse(plan.out);
  EXPECT_EQ(document["schema"], "gpulab.bench");
  EXPECT_EQ(document["complete"], false);
  EXPECT_EQ(document["plan"]["order"].size(), 6u);
  EXPECT_EQ(document["plan"]["rows"], 12);
  EXPECT_GT(document["plan"]["estimated_s"], 0);
  EXPECT_EQ(document["results"].size(), 0u);
}

TEST_F(BenchCommand, MakesAMatrixOfASize) {
  const ProgramRun plan = run({"bench", "matmul", "--size", "2^14", "--device", "simulator", "--dry-run"});
  EXPECT_TRUE(contains(plan.out, "size=16384 k=128 m=128 n=128")) << plan.err;
}

TEST_F(BenchCommand, IsIncompleteWithoutARowOfANamedLesson) {
  const Words command = {"bench",     "histogram",    "normalize", "--size",  "2^10", "--device",
                         "simulator", "--block-size", "48",        "--quiet", "-o",   "new.json"};
  const ProgramRun bench = run(command);
  EXPECT_EQ(bench.exit_code, 5) << bench.err;
  EXPECT_EQ(document("new.json")["stopped_by"], "normalize was left out");
  EXPECT_TRUE(contains(bench.err, "were measured, and others could not be")) << bench.err;
  EXPECT_EQ(run(with(command, {"--variant", "shared"})).exit_code, 0) << "as was asked for";
}

TEST_F(BenchCommand, SaysWhereStrictClaimsHaveTestedNothing) {
  const ProgramRun bench = run({"bench", "histogram", "--size", "2^10", "--device", "simulator",
                                "--strict-claims", "--quiet", "-o", "new.json"});
  EXPECT_EQ(bench.exit_code, 0);
  EXPECT_EQ(bench.err, "gpulab: --strict-claims has tested no claim here\n");
}

TEST_F(BenchCommand, SaysThatOnlyTheOtherBuildWasMeasured) {
  write("slow", "#!/bin/sh\nexec sleep 60\n");
  std::filesystem::permissions(folder / "slow", std::filesystem::perms::owner_all);
  EXPECT_EQ(ended_by(SIGTERM,
                     {"bench", "coalescing", "--size", "2^10", "--device", "simulator", "--against",
                      program(), "--program", "./slow", "--baseline", "old.json"},
                     "old.json", 1),
            128 + SIGTERM);
  EXPECT_TRUE(contains(read(folder / ".stderr"), "only the other build was measured: it was interrupted"))
      << read(folder / ".stderr");
}

TEST_F(BenchCommand, WritesADocumentOfAFolderWithoutKernelsOfTheLesson) {
  std::filesystem::create_directory(folder / "none");
  const Words command = {"bench", "arbitrary-size", "--size", "1000", "--device", "simulator", "--quiet"};
  EXPECT_EQ(run(with(command, {"--kernels", "none", "--output", "old.json"})).exit_code, 2);
  EXPECT_EQ(document("old.json")["results"].size(), 0u);
  EXPECT_EQ(document("old.json")["complete"], true);
  EXPECT_EQ(document("old.json")["exit_code"], 2);
  EXPECT_TRUE(document("old.json")["plan"]["absent_lessons"].contains("arbitrary-size"));
  EXPECT_EQ(run(with(command, {"--kernels", "nowhere", "--output", "no.json"})).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "no.json"));
  for (const auto& [guard, code] : {std::pair("if (item < size)", 0), {"if (item < size / 2)", 1}}) {
    write_kernels_with_guard(guard);
    const ProgramRun now = run(with(command, {"--kernels", "mine", "--baseline", "old.json", "--strict"}));
    EXPECT_EQ(now.exit_code, code) << now.out << now.err;
    EXPECT_TRUE(
        contains(now.out, "the base has no kernels of arbitrary-size, so nothing of it was compared"));
  }
}

TEST_F(BenchCommand, SaysWhichSideOfTwoProgramsLacksALesson) {
  run({"show", "arbitrary-size", "--to", "full"});
  run({"show", "first-kernel", "--to", "part"});
  run({"show", "first-kernel", "--to", "full"});
  for (const std::string name : {"full", "part"}) {
    write("use-" + name, "#!/bin/sh\nexec " + program() + " \"$@\" --kernels " + name + "\n");
    std::filesystem::permissions(folder / ("use-" + name), std::filesystem::perms::owner_all);
  }
  for (const Words& lessons : {Words{"bench", "arbitrary-size", "first-kernel"}, {"bench", "arbitrary-size"}})
    for (const std::string now : {"part", "full"}) {
      const std::string before = now == "part" ? "full" : "part";
      const ProgramRun both =
          run(with(lessons, {"--size", "1000", "--device", "simulator", "--runs", "1", "--against",
                             "./use-" + before, "--program", "./use-" + now}));
      EXPECT_EQ(both.exit_code, now == "part" ? 2 : 0) << both.out << both.err;
      EXPECT_TRUE(now == "part" ? contains(both.err, "--kernels part has no arbitrary_size.cu")
                                : contains(both.out, "the base has no kernels of arbitrary-size"))
          << both.out << both.err;
    }
}

TEST_F(BenchCommand, LeavesOutALessonWithoutTheVariantAndSaysSo) {
  const ProgramRun plan = run({"bench", "histogram", "matmul", "--variant", "private-copies", "--size",
                               "2^14", "--device", "simulator", "--dry-run"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_TRUE(contains(plan.out, "matmul was left out"));
}

}  // namespace
}  // namespace gpulab::cli
