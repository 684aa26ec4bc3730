#include "program_fixture.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

class Editor : public ProgramTest {
 protected:
  // Returns the path behind "-include" in a .clangd.
  static fs::path prelude_in(const std::string& clangd) {
    const std::size_t begin = clangd.find('"', clangd.find("- -include\n")) + 1;
    return clangd.substr(begin, clangd.find('"', begin) - begin);
  }
};

TEST_F(Editor, GetsItsFilesOnce) {
  const ProgramRun first = run({"editor", "vscode"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  for (const char* file :
       {".clangd", ".vscode/settings.json", ".vscode/tasks.json", ".vscode/extensions.json"}) {
    EXPECT_TRUE(fs::is_regular_file(folder / file)) << file;
    EXPECT_TRUE(contains(first.out, std::string("wrote ") + file + "\n"));
  }
  const ProgramRun second = run({"editor", "vscode"});
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_FALSE(contains(second.out, "wrote")) << second.out;
  EXPECT_TRUE(contains(second.out, ".clangd is there already\n"));
}

TEST_F(Editor, NeverOverwritesAFileAndPrintsWhatToAdd) {
  write(".clangd", "# mine\n");
  fs::create_directory(folder / "gpulab.vim");
  const ProgramRun kept = run({"editor", "vim"});
  EXPECT_EQ(kept.exit_code, 2);
  EXPECT_EQ(read(folder / ".clangd"), "# mine\n");
  EXPECT_TRUE(fs::is_directory(folder / "gpulab.vim"));
  EXPECT_TRUE(contains(kept.out, "kept .clangd"));
  EXPECT_TRUE(contains(kept.out, "add this to .clangd:\n    # Made by"));
  EXPECT_TRUE(contains(kept.out, "        - -xc++\n"));
}

TEST_F(Editor, KeepsALinkThatLeadsNowhere) {
  fs::create_symlink("nowhere", folder / ".clangd");
  EXPECT_EQ(run({"editor", "clangd"}).exit_code, 2);
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
}

TEST_F(Editor, IsPointedToAPreludeThatIsMadeAgainWhenItIsGone) {
  const fs::path cache = folder / "a \"cache\"";
  const Environment environment{{"XDG_CACHE_HOME", cache.string()}};
  EXPECT_EQ(run({"editor", "clangd"}, environment).exit_code, 0);
  const fs::path link = cache / "gpulab" / "editor", prelude = link / "gpulab.hpp";
  EXPECT_TRUE(contains(read(folder / ".clangd"),
                       "\"" + (folder / "a \\\"cache\\\"/gpulab/editor/gpulab.hpp").string()));
  EXPECT_TRUE(contains(read(prelude), "threadIdx"));
  EXPECT_EQ(fs::read_symlink(link).string().size(), 16u) << "its name is a hash";
  fs::remove_all(cache);
  EXPECT_EQ(run({"editor", "clangd"}, environment).exit_code, 0);
  EXPECT_TRUE(fs::exists(prelude));
}

TEST_F(Editor, FindsTheHeadersThatAKernelFileMayInclude) {
  EXPECT_EQ(run({"editor", "clangd"}).exit_code, 0);
  const fs::path include = prelude_in(read(folder / ".clangd")).parent_path() / "include";
  EXPECT_EQ(read(include / "cstdio"), "");
  EXPECT_TRUE(contains(read(include / "cooperative_groups.h"), "namespace cooperative_groups"));
  EXPECT_TRUE(fs::exists(include / "cuda" / "std" / "atomic"));
  EXPECT_FALSE(fs::exists(include / "vector"));
}

TEST_F(Editor, IsRefusedIfItIsUnknownOrItsFolderIsMissing) {
  expect_refusal({"editor", "emacs"}, 2, "vscode, vim, clangd, notebook");
  expect_refusal({"editor"}, 2, "is missing: gpulab editor");
  expect_refusal({"editor", "vim", "nowhere"}, 2, "there is no folder nowhere");
  write(".vscode", "");
  expect_refusal({"editor", "vscode"}, 2, "cannot make the folder .vscode: Not a directory");
}

TEST_F(Editor, NeedsACacheThatStays) {
  const ProgramRun refused = run({"editor", "clangd"}, {{"XDG_CACHE_HOME", ""}, {"HOME", ""}});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "set XDG_CACHE_HOME"));
  EXPECT_FALSE(fs::exists(folder / ".clangd"));
}

TEST_F(Editor, OfNotebooksGetsAModuleAndNoPrelude) {
  fs::create_directory(folder / "my notes");
  const ProgramRun wrote = run({"editor", "notebook", "my notes"}, {{"XDG_CACHE_HOME", ""}, {"HOME", ""}});
  EXPECT_EQ(wrote.exit_code, 0) << wrote.err;
  EXPECT_TRUE(contains(read(folder / "my notes" / "gpulab_magic.py"), "def load_ipython_extension"));
}

}  // namespace
}  // namespace gpulab::cli
