#include "run/kernel_files.hpp"

#include <set>
#include <stdexcept>

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/registry.hpp"

namespace gpulab::run {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw UsageError("cannot read " + file.string() + ": " + why);
}

}  // namespace

std::string read_text_file(const std::filesystem::path& file, const TextFileKind& kind) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    refuse(file, std::string("it is a folder, not ") + kind.name);
  return text_of_file(file, read_file(file, max_text_bytes), kind);
}

std::string text_of_file(const std::filesystem::path& file, const std::string& bytes,
                         const TextFileKind& kind) {
  const std::string text = without_byte_order_mark(bytes);
  if (text.size() > max_text_bytes) refuse(file, std::string(kind.name) + " has at most 1 048 576 bytes");
  if (text.find('\0') != std::string::npos)
    refuse(file, std::string("it is no text; ") + kind.name + " is " + kind.content);
  return text;
}

namespace {

namespace fs = std::filesystem;

std::set<std::string> files_of(const Lesson& lesson) {
  std::set<std::string> files{lesson.kernels};
  for (const Variant& variant : lesson.variants)
    if (!variant.source.empty()) files.insert(variant.source);
  return files;
}

}  // namespace

std::string embedded_kernel_file(const std::string& name) {
  for (const EmbeddedFile& file : embedded_kernels())
    if (name == file.name) return file.text;
  throw std::logic_error("there is no kernels/" + name);
}

std::string missing_kernel_file(const fs::path& folder, const std::string& file) {
  return folder.string() + " has no " + file + ": the built-in one is used; gpulab kernels LESSON --to " +
         folder.string() + " writes it";
}

KernelFiles::KernelFiles(const Lesson& lesson, const std::optional<fs::path>& folder)
    : lessons_file_(lesson.kernels) {
  std::error_code ignored;
  if (folder && !fs::is_directory(*folder, ignored))
    throw UsageError("--kernels " + folder->string() + " is not a folder that can be read");
  const std::set<std::string> files = files_of(lesson);
  for (const std::string& file : files) {
    // A link that leads nowhere is there, too: reading it says what is wrong.
    if (folder && fs::symlink_status(*folder / file, ignored).type() != fs::file_type::not_found) {
      sources_.push_back({file, {(*folder / file).string(), read_text_file(*folder / file, kernel_file)}});
    } else {
      if (folder) missing_.push_back(file);
      sources_.push_back({file, {file, embedded_kernel_file(file)}});
    }
  }
  if (missing_.size() == files.size())
    throw UsageError("--kernels " + folder->string() + " has no " + lesson.kernels + ", which " +
                     lesson.name + " needs; gpulab kernels " + lesson.name + " --to " + folder->string() +
                     " writes it");
}

void KernelFiles::replace(const std::string& file, device::KernelSource source) {
  for (auto& [name, old] : sources_)
    if (name == file) old = std::move(source);
}

bool KernelFiles::is_edited(const Variant& variant) const {
  const std::string& file = variant.source.empty() ? lessons_file_ : variant.source;
  return of(variant).text != embedded_kernel_file(file);
}

const device::KernelSource& KernelFiles::of(const Variant& variant) const {
  const std::string& wanted = variant.source.empty() ? lessons_file_ : variant.source;
  for (const auto& [file, source] : sources_)
    if (file == wanted) return source;
  throw std::logic_error("variant " + variant.name + " asks for " + wanted);
}

}  // namespace gpulab::run
