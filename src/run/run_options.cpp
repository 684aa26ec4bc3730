#include "run/run_options.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <ctime>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "cuda/support.hpp"
#include "device/host.hpp"
#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "run/architectures.hpp"
#include "run/devices.hpp"

namespace gpulab::run {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw UnreadableFile(file.string(), why);
}

// Returns whether the file is a link to a file outside of its folder. Messages quote lines of a kernel file,
// so a link in somebody else's checkout could show any file of this machine.
bool leads_out_of_its_folder(const std::filesystem::path& file) {
  std::error_code failed;
  if (!std::filesystem::is_symlink(file, failed) || !std::filesystem::is_regular_file(file, failed))
    return false;
  const std::filesystem::path folder = std::filesystem::canonical(file.parent_path() / ".", failed),
                              target = std::filesystem::canonical(file, failed);
  return std::mismatch(folder.begin(), folder.end(), target.begin(), target.end()).first != folder.end();
}

}  // namespace

std::string read_text_file(const std::filesystem::path& file, const TextFileKind& kind) {
  if (is_folder(file)) refuse(file, std::string("it is a folder, not ") + kind.name);
  if (leads_out_of_its_folder(file)) refuse(file, "it is a link to a file in another folder; name that file");
  return text_of_file(file, read_file(file, max_text_bytes), kind);
}

std::string text_of_file(const std::filesystem::path& file, const std::string& bytes,
                         const TextFileKind& kind) {
  const std::string text = without_byte_order_mark(bytes);
  if (text.size() > max_text_bytes) refuse(file, std::string(kind.name) + " has at most 1 048 576 bytes");
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    refuse(file, "it is UTF-16; save it as UTF-8");
  if (text.find('\0') != std::string::npos)
    refuse(file, fmt::format("it is not a text; {} is {}", kind.name, kind.content));
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

namespace {

// Returns a file of the course, or the text of the lesson's own file, if it has one.
std::string built_in_text(const std::string& own_text, const std::string& file) {
  return own_text.empty() ? embedded_kernel_file(file) : own_text;
}

}  // namespace

std::string missing_kernel_file(const fs::path& folder, const std::string& file) {
  return fmt::format("{} has no {}: the built-in one is used; gpulab show LESSON --to {} writes it",
                     folder.string(), file, folder.string());
}

KernelFiles::KernelFiles(const Lesson& lesson, const std::optional<fs::path>& folder)
    : lessons_file_(lesson.kernels), own_text_(lesson.kernels_text) {
  std::error_code ignored;
  if (folder && !is_folder(*folder))
    throw UsageError("--kernels " + folder->string() + " is not a folder that can be read");
  const std::set<std::string> files = files_of(lesson);
  for (const std::string& file : files) {
    // Includes dangling links: reading them reports the error.
    if (folder && fs::symlink_status(*folder / file, ignored).type() != fs::file_type::not_found) {
      sources_.push_back({file, {(*folder / file).string(), read_text_file(*folder / file, kernel_file)}});
    } else {
      if (folder) missing_.push_back(file);
      sources_.push_back({file, {file, built_in_text(own_text_, file)}});
    }
  }
  if (missing_.size() == files.size())
    throw UsageError(fmt::format("--kernels {} has no {}, which {} needs; gpulab show {} --to {} writes it",
                                 folder->string(), lesson.kernels, lesson.name, lesson.name,
                                 folder->string()));
  if (folder) find_unknown_files(*folder);
}

void KernelFiles::find_unknown_files(const fs::path& folder) {
  std::vector<std::string> known;
  for (const auto& [file, source] : sources_) known.push_back(file);
  for (const EmbeddedFile& file : embedded_kernels()) known.emplace_back(file.name);
  for (const Exercise& exercise : all_exercises()) known.push_back(exercise.file);
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".cu" || contains(known, name)) continue;
    const bool is_misspelt = !nearest_name(name, missing_).empty();
    const std::string sentence =
        fmt::format("{} is a file of no lesson, {}; {}", printable(entry.path().string()),
                    is_misspelt ? "so nothing was run or measured" : "and is left out",
                    suggestion(name, known, "gpulab show LESSON --to DIR writes those of one"));
    if (is_misspelt) throw UsageError(sentence);
    unknown_files_.emplace(printable(entry.path().string()), sentence);
  }
}

void KernelFiles::replace(const std::string& file, device::KernelSource source) {
  for (auto& [name, old] : sources_)
    if (name == file) old = std::move(source);
}

std::string KernelFiles::hash() const {
  std::string all;
  for (const auto& [file, source] : sources_) all += file + '\0' + source.text + '\0';
  return fmt::format("{:016x}", fnv1a(all));
}

bool KernelFiles::is_edited(const Variant& variant) const {
  const std::string& file = variant.source.empty() ? lessons_file_ : variant.source;
  return of(variant).text != built_in_text(own_text_, file);
}

const device::KernelSource& KernelFiles::of(const Variant& variant) const {
  const std::string& wanted_file = variant.source.empty() ? lessons_file_ : variant.source;
  for (const auto& [file, source] : sources_)
    if (file == wanted_file) return source;
  throw std::logic_error(fmt::format("variant {} asks for {}", variant.name, wanted_file));
}

namespace {

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string hostname() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

RunFacts run_facts(const std::vector<std::string>& typed) {
  return {.started_utc = now_utc(),
          .argv = typed,
          .hostname = hostname(),
          .cpu = device::cpu_name(),
          .cores = static_cast<int>(std::thread::hardware_concurrency()),
          .build = build_facts()};
}

namespace {

std::string allowed_text(const BlockSizes& block) {
  if (block.multiple_of == block.max) return std::to_string(block.max) + " threads";
  const std::string multiple =
      block.multiple_of > 1 ? "a multiple of " + std::to_string(block.multiple_of) + ", " : "";
  const std::string power = block.power_of_two ? "a power of two, " : "";
  return fmt::format("{}{}at most {} threads", multiple, power, block.max);
}

void check_block_size(const Variant& variant, unsigned block_size) {
  if (variant.block.allows(block_size)) return;
  throw UsageError(fmt::format(
      "variant '{}' takes blocks of {}, not {}; change --block-size, or name the variants to run with --variant",
      variant.name, allowed_text(variant.block), block_size));
}

}  // namespace

const Variant& find_variant(const Lesson& lesson, const std::string& name) {
  std::vector<std::string> names;
  for (const auto* variants : {&lesson.variants, &lesson.yardsticks})
    for (const Variant& variant : *variants) {
      if (variant.name == name) return variant;
      // Libraries are called only on a GPU.
      if (variant.library.empty() || !cuda::support().devices().empty()) names.push_back(variant.name);
    }
  throw UsageError(fmt::format("{} has no variant '{}'; {}", lesson.name, name,
                               suggestion(name, names, fmt::format("it has {}", fmt::join(names, ", ")))));
}

std::vector<Variant> chosen_variants(const Lesson& lesson, const RunOptions& options) {
  std::vector<Variant> chosen;
  for (const auto* variants : {&lesson.variants, &lesson.yardsticks})
    for (const Variant& variant : *variants)
      if (options.variants.empty() || contains(options.variants, variant.name)) chosen.push_back(variant);
  if (options.variant_order) {
    std::mt19937_64 random(*options.variant_order);
    std::ranges::shuffle(chosen, random);
  }
  return chosen;
}

void check_options(const Lesson& lesson, const RunOptions& options) {
  for (const std::string& name : options.variants) find_variant(lesson, name);
  if (lesson.has_size() && options.settings.size == 0)
    throw UsageError("--size 0 leaves " + lesson.name + " nothing to do");
  if (options.settings.size > lesson.largest_size)
    throw UsageError(fmt::format("--size {} is more than {}, the largest that {} takes",
                                 grouped(options.settings.size), grouped(lesson.largest_size), lesson.name));
  if (options.block_size)
    for (const Variant& variant : chosen_variants(lesson, options))
      check_block_size(variant, *options.block_size);
  if (!options.architectures.empty()) check_architectures(lesson, options.architectures);
}

}  // namespace gpulab::run
