#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/table.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::cli {

struct ProgramRun {
  int exit_code = -1;  // -1 when a signal ended it
  std::string out, err;
};

// Tests of the real program, each in a folder of its own and without a GPU.
class ProgramTest : public testing::Test {
 protected:
  using Environment = std::map<std::string, std::string>;

  ProgramTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpulab-cli-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    std::filesystem::create_directories(simulator::kernel_cache_of_tests());
  }
  ~ProgramTest() override { std::filesystem::remove_all(folder); }

  static std::string program() {
#ifdef GPULAB_PROGRAM
    return GPULAB_PROGRAM;
#else
    const char* path = std::getenv("GPULAB_PROGRAM");
    return path ? path : "";
#endif
  }

  void SetUp() override {
    if (program().empty()) GTEST_SKIP() << "GPULAB_PROGRAM does not say where the program is";
  }

  // Runs the program. An empty value removes a variable from its environment.
  ProgramRun run(const std::vector<std::string>& words, const Environment& environment = {},
                 const std::string& stdout_file = "") const {
    const auto out = folder / ".stdout", err = folder / ".stderr";
    const pid_t child = ::fork();
    if (child == 0) {
      redirect(STDOUT_FILENO, stdout_file.empty() ? out : std::filesystem::path(stdout_file));
      redirect(STDERR_FILENO, err);
      execute(words, environment);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
  }

  // Starts the program without input. What it prints goes to the files .stdout and .stderr.
  pid_t start(const std::vector<std::string>& words, const Environment& environment = {}) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    redirect(STDIN_FILENO, "/dev/null");
    redirect(STDOUT_FILENO, folder / ".stdout");
    redirect(STDERR_FILENO, folder / ".stderr");
    execute(words, environment);
  }

  // Returns what the command prints, and expects it to succeed.
  std::string printed(const std::vector<std::string>& words) const {
    const ProgramRun ended = run(words);
    EXPECT_EQ(ended.exit_code, 0) << words[0] << "\n" << ended.err;
    EXPECT_EQ(ended.err, "") << words[0];
    EXPECT_TRUE(ended.out.ends_with('\n')) << words[0];
    return ended.out;
  }

  static std::size_t widest_line(const std::string& text) {
    std::istringstream lines(text);
    std::size_t widest = 0;
    for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
    return widest;
  }

  // Replaces the child process that calls it by the program.
  [[noreturn]] void execute(const std::vector<std::string>& words, const Environment& environment) const {
    if (::chdir(working_folder.empty() ? folder.c_str() : working_folder.c_str()) != 0) ::_exit(125);
    ::setenv("XDG_CACHE_HOME", simulator::kernel_cache_of_tests().c_str(), 1);
    ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
    ::unsetenv("COLUMNS");
    ::setenv("GPULAB_PAGER", "", 1);  // it would wait for a key
    for (const auto& [name, value] : environment)
      value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> arguments{const_cast<char*>("gpulab")};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execv(program().c_str(), arguments.data());
    ::_exit(126);
  }

  // Expects the exit code, nothing on stdout, and on stderr one line with the part in it.
  void expect_refusal(const std::vector<std::string>& words, int exit_code, const std::string& part) const {
    const ProgramRun refused = run(words);
    std::string typed;
    for (const std::string& word : words) typed += " " + word.substr(0, 40);
    EXPECT_EQ(refused.exit_code, exit_code) << typed << "\n" << refused.err;
    EXPECT_EQ(refused.out, "") << typed;
    EXPECT_TRUE(contains(refused.err, part)) << typed;
    EXPECT_TRUE(refused.err.starts_with("gpulab: ")) << typed << "\n" << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << typed << "\n" << refused.err;
  }

  static void redirect(int descriptor, const std::filesystem::path& file) {
    const int opened = ::open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    ::dup2(opened, descriptor);
  }

  static std::string read(const std::filesystem::path& file) {
    return content_of(file);
  }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(folder / file) << text;
  }

  // Returns the files in the folder, except those that keep stdout and stderr.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (!entry.path().filename().string().starts_with(".std")) names.push_back(entry.path().filename());
    return names;
  }

  std::filesystem::path folder;
  std::filesystem::path working_folder;  // of the program, if it is not `folder`
};

// Adds the options of a run on the simulator that measures no times.
inline std::vector<std::string> simulated(std::vector<std::string> words) {
  words.insert(words.end(), {"--device", "simulator", "--time-budget", "1e-9"});
  return words;
}

}  // namespace gpulab::cli
