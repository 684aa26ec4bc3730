#include "cli/options.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/lists.hpp"
#include "base/output.hpp"
#include "base/text.hpp"
#include "lesson/launch.hpp"
#include "lesson/lesson.hpp"

namespace gpulab::cli {

CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& word,
                        const std::string& description, const std::vector<std::string>& choices) {
  word = choices.front();
  return command.add_option(name, word, description)
      ->check(one_of(choices))
      ->type_name(fmt::format("{}", fmt::join(choices, "|")));
}

void refuse_gpu_where_confined(const std::string& sandbox, const std::string& device) {
  if (sandbox == "require" && device == "cuda")
    throw UsageError(
        "--sandbox require and --device cuda exclude each other: a GPU's driver cannot be confined");
}

void tell_if_not_confined(sandbox::Mode mode, const std::string& what) {
  const sandbox::Support here = sandbox::support();
  if (mode == sandbox::Mode::automatic && !here.is_complete())
    tell(fmt::format("gpulab: {} can do here what you can do ({}); --sandbox require refuses that\n", what,
                     sandbox::described(here)));
}

std::string format_of_output(const std::string& asked, const std::optional<std::filesystem::path>& output,
                             const std::vector<std::pair<std::string, std::string>>& formats) {
  const std::string ending = output ? output->extension().string() : "";
  if (!asked.empty()) return asked;
  std::vector<std::string> endings;
  for (const auto& [format_ending, format] : formats) {
    if (format_ending == ending || ending == "." + format) return format;
    endings.push_back(format_ending);
  }
  const std::string formats_of_others[] = {".csv", ".html", ".json", ".md",   ".pdf", ".png",  ".sarif",
                                           ".svg", ".toml", ".tsv",  ".xlsx", ".xml", ".yaml", ".yml"};
  if (!contains(formats_of_others, ending)) return "text";
  throw UsageError(fmt::format(
      "--output {} ends in {}, a format that this command does not write; it writes {}, and text under other names",
      output->string(), ending, fmt::join(endings, ", ")));
}

void add_format_option(CLI::App& command, std::string& format) {
  add_choice(command, "--format", format, "how it is written", {"text", "json"});
}

void refuse_pictures_in(const std::string& format, const PictureOptions& options) {
  if (options.in_text && format != "text")
    throw UsageError("--picture draws in text, and --format " + format +
                     " is not text; --html FILE works with both");
}

void add_picture_options(CLI::App& command, PictureOptions& options, const char* help) {
  command.add_flag("--picture", options.in_text, help);
  add_value(command, "--html", options.html, "FILE",
            "write the pictures to this file, as a page for browsers")
      ->check(CLI::Validator(
          [](const std::string& file) {
            const bool is_page = std::filesystem::path(file).extension() == ".html";
            return is_page ? "" : "the page's name ends in .html, and '" + file + "' does not";
          },
          ""));
}

run::DeviceChoice DeviceOptions::choice() const {
  if (device == "hip") return run::DeviceChoice::hip;
  if (device == "cuda" || (device == "auto" && index)) return run::DeviceChoice::cuda;
  return device == "simulator" ? run::DeviceChoice::simulator : run::DeviceChoice::automatic;
}

bool DeviceOptions::is_gpu() const {
  if (choice() != run::DeviceChoice::automatic) return choice() != run::DeviceChoice::simulator;
  return !std::ranges::all_of(run::all_devices(), &DeviceProperties::simulated);
}

run::OpenedDevice DeviceOptions::open(device::CompileCache& cache,
                                      const std::function<void(const std::string&)>& remark,
                                      int local_rank) const {
  refuse_gpu_with_other_warps(choice() == run::DeviceChoice::cuda || choice() == run::DeviceChoice::hip,
                              warp_size);
  if (warp_size != 32) return {run::open_simulator(cache, WarpSize(warp_size)), ""};
  const int chosen = index ? static_cast<int>(*index) : run::index_of_local_rank(choice(), local_rank);
  return run::open_or_fall_back(choice(), chosen, cache, remark);
}

void add_device_options(CLI::App& command, DeviceOptions& options, bool has_hip) {
  std::vector<std::string> devices{"auto", "cuda", "simulator"};
  if (has_hip) devices.emplace_back("hip");
  add_choice(
      command, "--device", options.device,
      has_hip ? "where kernels run (hip: we have not tried it on an AMD GPU, no times)" : "where kernels run",
      devices);
  add_whole_number(command, "--device-index", options.index, "which of several GPUs; implies cuda");
}

void add_warp_size_option(CLI::App& command, unsigned& lanes, const std::string& default_text) {
  add_value(command, "--warp-size", lanes, "N",
            fmt::format("lanes of a warp on the simulated device: 32 or 64 (default {})", default_text))
      ->check(one_of({"32", "64"}));
}

void refuse_gpu_with_other_warps(bool is_gpu, unsigned warp_size) {
  if (is_gpu && warp_size == WarpSize::max_lanes)
    throw UsageError("--warp-size 64 needs the simulated device: the warps of a GPU have a fixed size");
}

unsigned parse_block_size(const std::string& text) {
  const std::uint64_t threads = parse_count("--block-size", text);
  if (threads > max_threads_per_block)
    throw UsageError("--block-size " + text + " is too large; a block has at most 1024 threads");
  return static_cast<unsigned>(threads);
}

namespace {

// Returns a validator whose message says "'TEXT' is not WANTED".
CLI::Validator validator(std::function<bool(const std::string&)> fits, const std::string& wanted) {
  return CLI::Validator(
      [fits = std::move(fits), wanted](const std::string& text) {
        return fits(text) ? std::string{} : fmt::format("'{}' is not {}", text, wanted);
      },
      "");
}

bool is_number(const std::string& text, const std::function<bool(double)>& fits) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(number) && fits(number);
}

}  // namespace

CLI::Validator one_of(const std::vector<std::string>& choices) {
  return validator([choices](const std::string& text) { return contains(choices, text); },
                   fmt::format("one of {}", fmt::join(choices, ", ")));
}

CLI::Validator a_whole_number() {
  // 19 digits always fit in 64 bits.
  return validator(
      [](const std::string& text) {
        return !text.empty() && text.size() <= 19 &&
               text.find_first_not_of("0123456789") == std::string::npos;
      },
      "a whole number from 0 to 10^19 - 1");
}

CLI::Validator a_whole_number_in(std::uint64_t min, std::uint64_t max) {
  return validator(
      [=](const std::string& text) {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        return error == std::errc{} && end == text.data() + text.size() && number >= min && number <= max;
      },
      fmt::format("a whole number from {} to {}", min, max));
}

CLI::Validator a_number_from_zero() {
  return validator(
      [](const std::string& text) { return is_number(text, [](double number) { return number >= 0; }); },
      "a number that is 0 or more");
}

CLI::Validator seconds_above_zero() {
  return validator(
      [](const std::string& text) { return is_number(text, [](double number) { return number > 0; }); },
      "a number of seconds above 0, such as 600");
}

const Lesson& find_lesson(const std::string& name) {
  std::vector<std::string> names;
  for (const Lesson* lesson : known_lessons()) {
    if (lesson->is_called(name)) return *lesson;
    names.push_back(lesson->name);
    names.insert(names.end(), lesson->aliases.begin(), lesson->aliases.end());
  }
  throw UsageError(
      fmt::format("there is no lesson '{}'; {}", name, suggestion(name, names, "gpulab list shows them")));
}

namespace {

// Option of nvcc. CLI11 takes each letter after a single hyphen for an option, so nvcc's options are
// translated before CLI11 parses the words.
struct NvccOption {
  std::string_view names;  // with blanks around each
  bool has_value;
  std::string_view run_option = "";  // option of `gpulab run` with the same meaning; empty if there is none
  std::string_view reason = "";      // why it has no effect on the simulated device; empty if that is no loss
  bool is_for_gpus = true;           // nvcc gets it, with --device cuda
};

constexpr NvccOption nvcc_options[] = {
    {" -std --std ", true, "--std="},
    {" -isystem --system-include --include-path ", true, "-I"},
    {" --define-macro ", true, "-D"},
    {" --undefine-macro ", true, "-U"},
    {" -include ", true, "--pre-include="},
    {" --library ", true, "-l"},
    {" --library-path ", true, "-L"},
    {" -o --output-file ", true, "", "the program runs at once, and no file is written", false},
    {" -c --compile -dc --device-c -dw --device-w -dlink --device-link -ptx --ptx -cubin --cubin -fatbin --fatbin ",
     false, "", "the program runs at once, and no file is written", false},
    {" -run --run ", false, "", "", false},  // gpulab runs it anyway
    {" -O0 -O1 -O2 -O3 -g -G --device-debug -lineinfo --generate-line-info -w -m64 -dlto -restrict ", false},
    {" -expt-relaxed-constexpr --expt-relaxed-constexpr -extended-lambda --extended-lambda ", false},
    {" -expt-extended-lambda --expt-extended-lambda -Wno-deprecated-gpu-targets ", false},
    {" -MMD -MD -MP --generate-dependencies-with-compile -keep --keep -v --verbose -res-usage --resource-usage ",
     false},
    {" -forward-unknown-to-host-compiler --forward-unknown-to-host-compiler ", false},
    {" -allow-unsupported-compiler --allow-unsupported-compiler -src-in-ptx --source-in-ptx ", false},
    {" -O --optimize -x --x -t --threads -rdc --relocatable-device-code -cudart -diag-suppress -Xcudafe ",
     true},
    {" -MF -MT --dependency-output -keep-dir --keep-dir -Werror --Werror ", true},
    {" -arch --gpu-architecture -code -gencode --generate-code ", true, "", "the simulated device is sm_80"},
    {" -Xcompiler -compiler-options --compiler-options -ccbin -Xlinker ", true, "",
     "the host compiler's options are fixed"},
    {" -Xptxas -ptxas-options --ptxas-options -maxrregcount --maxrregcount ", true, "",
     "it has no registers"},
    {" -use_fast_math --use_fast_math ", false, "", "results are those without it"},
    {" -ftz -prec-div -prec-sqrt -fmad --fmad ", true, "", "results are those without it"},
    {" -default-stream --default-stream ", true, "", "the default stream is the legacy one"},
};

const NvccOption* find_nvcc_option(const std::string& name) {
  const auto* const found = std::ranges::find_if(nvcc_options, [&](const NvccOption& option) {
    return option.names.find(" " + name + " ") != std::string_view::npos;
  });
  return found == std::end(nvcc_options) ? nullptr : found;
}

// Puts the words of a file in place of -optf FILE or --options-file FILE.
void put_in_words_of_files(std::vector<std::string>& words) {
  constexpr std::size_t max_words = 10'000;  // a file may name itself
  for (std::size_t i = 0; i < words.size() && words.size() < max_words;) {
    const std::size_t equals = std::min(words[i].find('='), words[i].size());
    const std::string name = words[i].substr(0, equals);
    const bool is_joined = equals < words[i].size();
    if ((name != "-optf" && name != "--options-file") || (!is_joined && i + 1 == words.size())) {
      ++i;
      continue;
    }
    const std::string file = is_joined ? words[i].substr(equals + 1) : words[i + 1];
    std::istringstream text(read_file(file, std::size_t{1} << 20));
    const std::vector<std::string> in_file{std::istream_iterator<std::string>(text), {}};
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
    words.insert(words.erase(begin, begin + (is_joined ? 1 : 2)), in_file.begin(), in_file.end());
  }
}

// Returns whether nothing is lost by ignoring this option for the host's compiler: "-O3", "-fopenmp".
bool is_ignorable(std::string_view option) {
  constexpr std::string_view known[] = {"-O", "-g", "-W", "-fopenmp", "-fPIC", "-std=", "-m64", "-pthread"};
  return std::ranges::any_of(known, [&](std::string_view prefix) { return option.starts_with(prefix); });
}

// Returns whether the simulated device does what the option asks for. With -arch and -Xcompiler, this depends
// on the value.
bool is_honoured(const NvccOption& option, const std::string& value) {
  if (option.names.starts_with(" -arch")) return value.ends_with("80");
  if (!option.names.starts_with(" -Xcompiler")) return option.reason.empty();
  std::istringstream words(value);  // "-O3,-fopenmp"
  for (std::string word; std::getline(words, word, ',');)
    if (!is_ignorable(word)) return false;
  return true;
}

// Returns why the option has no effect. A file that is called like a report may be meant for --output.
std::string reason_of(const NvccOption& option, const std::string& value) {
  const std::string reason(option.reason), ending = std::filesystem::path(value).extension();
  const bool is_report = ending == ".json" || ending == ".sarif" || ending == ".xml" || ending == ".txt";
  if (!option.names.starts_with(" -o ") || !is_report) return reason;
  return reason + "; for the report, write --output " + value;
}

}  // namespace

NvccWords translated_from_nvcc(std::vector<std::string> typed) {
  NvccWords words;
  put_in_words_of_files(typed);
  const bool forwards_unknown = std::ranges::any_of(
      typed, [](const std::string& word) { return word.ends_with("-forward-unknown-to-host-compiler"); });
  for (std::size_t i = 0; i < typed.size(); ++i) {
    if (typed[i].size() > 2 && typed[i].starts_with("-t") &&
        std::isdigit(static_cast<unsigned char>(typed[i][2])))
      typed[i].insert(2, "=");
    const std::size_t equals = std::min(typed[i].find('='), typed[i].size());
    const std::string name = typed[i].substr(0, equals);
    const NvccOption* const option = find_nvcc_option(name);
    const bool is_joined = equals < typed[i].size();
    const bool is_for_host_compiler =
        name.starts_with("-W") || name.starts_with("-f") || name.starts_with("-m") || name == "-pthread";
    if (!option && forwards_unknown && is_for_host_compiler) {
      words.nvcc_options.push_back(typed[i]);
      continue;
    }
    const bool lacks_value = option && option->has_value && !is_joined && i + 1 == typed.size();
    if (!option || lacks_value) {
      words.of_run.push_back(typed[i]);
      continue;
    }
    std::string value = is_joined ? typed[i].substr(equals + 1) : "";
    std::string shown = typed[i];
    if (option->has_value && !is_joined) {
      value = typed[++i];
      shown += " " + value;
    }
    if (!option->run_option.empty())
      words.of_run.push_back(std::string(option->run_option) + value);
    else if (option->is_for_gpus)
      words.nvcc_options.push_back(name + (option->has_value ? "=" + value : ""));
    if (!is_honoured(*option, value))
      words.ignored +=
          fmt::format("{}{} ({})", words.ignored.empty() ? "" : ", ", shown, reason_of(*option, value));
  }
  return words;
}

}  // namespace gpulab::cli
