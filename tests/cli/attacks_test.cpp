#include <sys/stat.h>

#include "sandbox/sandbox.hpp"
#include "terminal_fixture.hpp"
#include "test.hpp"

// Whole programs that try to do harm outside their folder, in tests/program/attacks. The first lines of each
// say what the program, or gpulab, must print. Outside of their folder are two files: `victim`, which no
// program may touch, and `readable`, which all may read, since it is in a folder of LD_LIBRARY_PATH.

namespace gpulab::cli {
namespace attacks_test {

namespace fs = std::filesystem;

std::vector<fs::path> every_attack() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(source_file("tests/program/attacks")))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// Returns the texts behind "// expect: " in the first lines.
std::vector<std::string> expected_texts_in(const std::string& text) {
  const std::string label = "// expect: ";
  std::vector<std::string> parts;
  for (std::size_t at = 0; text.compare(at, label.size(), label) == 0; at = text.find('\n', at) + 1)
    parts.push_back(text.substr(at + label.size(), text.find('\n', at) - at - label.size()));
  return parts;
}

struct FileState {
  std::string content;
  mode_t mode = 0;
  uid_t owner = 0;
  time_t changed = 0;
  nlink_t links = 0;

  friend bool operator==(const FileState&, const FileState&) = default;
};

class EveryAttack : public TerminalTest, public testing::WithParamInterface<fs::path> {
 protected:
  void SetUp() override {
    TerminalTest::SetUp();
    if (!sandbox::support().is_complete()) GTEST_SKIP() << "this machine cannot confine";
    for (const char* name : {"own", "theirs", "lib"}) fs::create_directory(folder / name);
    for (const fs::path& file : {victim, readable}) {
      std::ofstream(file) << "alive";
      fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    }
    working_folder = folder / "own";
    environment = {{"LD_LIBRARY_PATH", (folder / "lib").string()}, {"TERM", "xterm"}};
  }
  void TearDown() override {
    if (before.empty()) return;
    EXPECT_EQ(states(), before);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "theirs"), fs::directory_iterator()), 1);
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(working_folder / "report.txt")));
  }

  std::vector<FileState> states() const {
    std::vector<FileState> all;
    for (const fs::path& file : {victim, readable}) {
      struct stat facts {};
      ::stat(file.c_str(), &facts);
      all.push_back({read(file), facts.st_mode, facts.st_uid, facts.st_mtime, facts.st_nlink});
    }
    return all;
  }
  // Records the states of the files, and returns the command that runs the attack.
  std::vector<std::string> command_for(const fs::path& attack) {
    before = states();
    return {"run",      attack.string(), "--plain", "--sandbox",     "require",
            "--output", "report.txt",    "--",      victim.string(), readable.string()};
  }

  fs::path victim = folder / "theirs" / "file", readable = folder / "lib" / "library";
  Environment environment;
  std::vector<FileState> before;
};

TEST_P(EveryAttack, EndsAsItsFirstLinesSay) {
  const ProgramRun ended = run(command_for(GetParam()), environment);
  const std::string printed = ended.out + ended.err + read(working_folder / "report.txt");
  const std::vector<std::string> expected = expected_texts_in(read(GetParam()));
  ASSERT_FALSE(expected.empty());
  for (const std::string& text : expected) {
    const std::size_t bar = text.find(" | ");
    const std::string one = text.substr(0, bar), other = bar < text.size() ? text.substr(bar + 3) : one;
    EXPECT_TRUE(contains(printed, one) || contains(printed, other)) << text << "\n" << printed;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, EveryAttack, testing::ValuesIn(every_attack()),
                         [](const auto& info) { return info.param.stem().string(); });

class AttackOnTerminal : public EveryAttack {};

TEST_P(AttackOnTerminal, HasNoEffect) {
  open(command_for(GetParam()), environment);
  const std::string seen = until_the_end();
  EXPECT_TRUE(contains(seen, "nothing got through"));
}

INSTANTIATE_TEST_SUITE_P(Programs, AttackOnTerminal,
                         testing::Values(source_file("tests/program/attacks/terminal.cu"),
                                         source_file("tests/program/attacks/processes.cu")),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace attacks_test
}  // namespace gpulab::cli
