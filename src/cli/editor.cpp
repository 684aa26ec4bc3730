#include <fmt/format.h>
#include <algorithm>
#include <filesystem>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/files.hpp"
#include "core/registry.hpp"
#include "core/text.hpp"
#include "learn/editor_prelude.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

struct EditorWords {
  std::string editor;
  fs::path folder = ".";
};

// A file of data/editors/, and where it goes.
struct EditorFile {
  const char *name, *place;
};

struct Editor {
  const char* name;
  std::vector<EditorFile> files;
  bool reads_prelude;
  const char* next;  // what to do then
};

constexpr EditorFile clangd_file{"clangd.yaml", ".clangd"};
constexpr const char* needs_clangd =
    "Kernel files are completed and underlined by clangd (Debian: apt-get install clangd).\n";

const std::vector<Editor>& editors() {
  static const std::vector<Editor> all{
      {"vscode",
       {clangd_file,
        {"settings.json", ".vscode/settings.json"},
        {"tasks.json", ".vscode/tasks.json"},
        {"extensions.json", ".vscode/extensions.json"}},
       true,
       "Open this folder in VS Code and install the extension that it recommends, clangd.\n"
       "Run Build Task checks the file; Run Task, gpulab watch checks at every save.\n"},
      {"vim",
       {clangd_file, {"gpulab.vim", "gpulab.vim"}},
       true,
       "vim -S gpulab.vim FILE.cu, and :make checks the file; gpulab.vim says how to have it always.\n"},
      {"clangd", {clangd_file}, true, "Any editor that uses clangd now understands the .cu files here.\n"},
      {"notebook",
       {{"gpulab_magic.py", "gpulab_magic.py"}},
       false,
       "In a notebook beside it, type %load_ext gpulab_magic, then %%gpulab check LESSON above a kernel.\n"},
  };
  return all;
}

// In quotes, as YAML has it.
std::string escaped(const std::string& path) {
  std::string text;
  for (const char letter : path) {
    if (letter == '"' || letter == '\\') text += '\\';
    if (static_cast<unsigned char>(letter) < ' ')
      text += fmt::format("\\x{:02x}", static_cast<unsigned>(letter));
    else
      text += letter;
  }
  return text;
}

std::string text_of(const EditorFile& file, const std::string& prelude) {
  const auto& all = embedded_editor_files();
  std::string text = std::ranges::find_if(all, [&](const EmbeddedFile& one) {
                       return one.name == std::string_view(file.name);
                     })->text;
  const std::string place = "@prelude@";
  for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += prelude.size())
    text.replace(at, place.size(), prelude);
  return text;
}

bool has_text(const fs::path& path, const std::string& text) {
  try {
    return read_file(path, text.size()) == text;
  } catch (const UsageError&) {
    return false;
  }
}

void make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directory(folder, failed);
  if (!fs::is_directory(folder, failed)) throw UsageError("cannot make the folder " + folder.string());
}

std::string indented(const std::string& text) {
  std::string result;
  for (const std::string& line : lines_of(text)) result += line.empty() ? "\n" : "    " + line + "\n";
  return result;
}

ExitCode write_files(const EditorWords& words) {
  const Editor& editor = *std::ranges::find(editors(), words.editor, &Editor::name);
  std::error_code ignored;
  if (!fs::is_directory(words.folder, ignored))
    throw UsageError(fmt::format("there is no folder {}; make it first", words.folder.string()));
  const std::string prelude = editor.reads_prelude ? escaped(learn::editor_prelude().string()) : "";
  std::string said, to_add;
  for (const EditorFile& file : editor.files) {
    const fs::path path = (words.folder / file.place).lexically_normal();
    if (path.parent_path().filename() == ".vscode") make_folder(path.parent_path());
    const std::string text = text_of(file, prelude);
    if (create_file(path, text)) {
      said += fmt::format("wrote {}\n", path.string());
    } else if (has_text(path, text)) {
      said += fmt::format("{} is there already\n", path.string());
    } else {
      said += fmt::format("kept {}: it has another text\n", path.string());
      to_add += fmt::format("\nTo have it all, add this to {}:\n{}", path.string(), indented(text));
    }
  }
  Output({}).write(said + editor.next + (editor.reads_prelude ? needs_clangd : "") + to_add);
  return to_add.empty() ? ExitCode::ok : ExitCode::usage;
}

}  // namespace

void add_editor(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("editor", "set up VS Code, Vim, clangd or a notebook");
  auto words = std::make_shared<EditorWords>();
  command->add_option("editor", words->editor, "which one")
      ->required()
      ->check(one_of({"vscode", "vim", "clangd", "notebook"}))
      ->type_name("vscode|vim|clangd|notebook");
  command->add_option("folder", words->folder, "the folder with the kernel files (default: this one)")
      ->type_name("DIR");
  command->footer(
      "It never overwrites a file: one that is there is kept, and what to add to it is printed (code 2).");
  command->callback([&context, words] { context.action = [words] { return write_files(*words); }; });
}

}  // namespace gpulab::cli
