#include <sys/stat.h>

#include "sandbox/sandbox.hpp"
#include "terminal_fixture.hpp"
#include "test.hpp"

// Whole programs that try to do harm outside their folder, in tests/program/attacks. The first lines of each
// say what the program, or gpulab, must print. Two files lie beside their folder: no program may touch the
// first, and all may read the second, since it is in a folder of LD_LIBRARY_PATH.

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

std::vector<std::string> expected_by(const std::string& text) {
  const std::string label = "// expect: ";
  std::vector<std::string> parts;
  for (std::size_t at = 0; text.compare(at, label.size(), label) == 0; at = text.find('\n', at) + 1)
    parts.push_back(text.substr(at + label.size(), text.find('\n', at) - at - label.size()));
  return parts;
}

struct State {
  std::string content;
  mode_t mode = 0;
  uid_t owner = 0;
  time_t changed = 0;
  nlink_t links = 0;

  friend bool operator==(const State&, const State&) = default;
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

  std::vector<State> states() const {
    std::vector<State> all;
    for (const fs::path& file : {victim, readable}) {
      struct stat facts {};
      ::stat(file.c_str(), &facts);
      all.push_back({read(file), facts.st_mode, facts.st_uid, facts.st_mtime, facts.st_nlink});
    }
    return all;
  }
  std::vector<std::string> words() {
    before = states();
    return {"run",        "--plain", "--sandbox",     "require",        "--output",
            "report.txt", "--",      victim.string(), readable.string()};
  }
  std::vector<std::string> words_for(const fs::path& attack) {
    std::vector<std::string> all = words();
    all.insert(all.begin() + 1, attack.string());
    return all;
  }

  fs::path victim = folder / "theirs" / "file", readable = folder / "lib" / "library";
  Environment environment;
  std::vector<State> before;
};

TEST_P(EveryAttack, ComesToWhatItsFirstLinesSay) {
  const ProgramRun ended = run(words_for(GetParam()), environment);
  const std::string all = ended.out + ended.err + read(working_folder / "report.txt");
  const std::vector<std::string> expected = expected_by(read(GetParam()));
  ASSERT_FALSE(expected.empty());
  for (const std::string& either : expected) {
    const std::size_t bar = either.find(" | ");
    EXPECT_TRUE(contains(all, either.substr(0, bar)) ||
                (bar < either.size() && contains(all, either.substr(bar + 3))))
        << either << "\n"
        << all;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, EveryAttack, testing::ValuesIn(every_attack()),
                         [](const auto& info) { return info.param.stem().string(); });

class AttackOnTerminal : public EveryAttack {};

TEST_P(AttackOnTerminal, ComesToNothing) {
  open(words_for(GetParam()), environment);
  const std::string seen = until_the_end();
  EXPECT_TRUE(contains(seen, "nothing got through"));
}

INSTANTIATE_TEST_SUITE_P(Programs, AttackOnTerminal,
                         testing::Values(source_file("tests/program/attacks/terminal.cu"),
                                         source_file("tests/program/attacks/processes.cu")),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace attacks_test
}  // namespace gpulab::cli
