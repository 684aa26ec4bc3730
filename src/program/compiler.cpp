#include "program/compiler.hpp"

#include <dlfcn.h>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "device/libraries.hpp"
#include "device/symbols.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/compile/compiler.hpp"
#include "simulator/compile/module.hpp"
#include "source/cuda_text.hpp"
#include "source/device_code.hpp"
#include "source/launch_text.hpp"

namespace gpulab::program {
namespace {

namespace fs = std::filesystem;
using simulator::compile::HostCompiler;
using simulator::compile::write;

constexpr const char *shared_object = "program.so", *prelude_file = "prelude.cuh",
                     *host_prelude_file = "prelude.cuh.host";

// Returns the name of a file's translation unit, which is the prelude and then the file. Lines of files named
// prelude.cuh* are not attributed to the user.
std::string unit_name(std::size_t number) {
  return "prelude.cuh." + std::to_string(number) + ".cpp";
}

constexpr sandbox::CommandLimits limits{.cpu_s = 120,
                                        .memory_bytes = std::size_t{8} << 30,
                                        .file_bytes = std::size_t{1} << 30,
                                        .output_bytes = std::size_t{4} << 20};

// Headers that nvcc includes into every program.
constexpr const char* always_included[] = {"cmath",   "cstdlib", "cstdio",   "cstring",    "cstdint",
                                           "climits", "cfloat",  "cassert",  "ctime",      "utility",
                                           "new",     "math.h",  "stdlib.h", "type_traits"};

// Returns whether a header is of C, C++ or POSIX, which every machine with a compiler has. (__has_include
// would tell, but GCC 12 then reports no error when a missing header is included.)
bool is_standard(const std::string& header, const std::string& standard) {
  constexpr const char* since_20[] = {"barrier", "bit",        "compare",    "concepts",       "coroutine",
                                      "latch",   "numbers",    "ranges",     "semaphore",      "span",
                                      "version", "syncstream", "stop_token", "source_location"};
  if (standard > "c++17" && std::ranges::find(since_20, header) != std::end(since_20)) return true;
  static const std::set<std::string, std::less<>> names = [] {
    std::istringstream words(
        "bits/stdc++.h algorithm any array atomic bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes climits "
        "clocale cmath codecvt complex condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cwchar cwctype deque exception execution filesystem forward_list fstream functional future "
        "initializer_list iomanip ios iosfwd iostream istream iterator limits list locale map memory memory_resource mutex new numeric optional ostream queue random ratio regex scoped_allocator set shared_mutex sstream stack "
        "stdexcept streambuf string string_view strstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector assert.h complex.h ctype.h errno.h fenv.h float.h "
        "inttypes.h limits.h locale.h math.h setjmp.h signal.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h time.h wchar.h wctype.h unistd.h fcntl.h getopt.h dirent.h pthread.h semaphore.h sched.h "
        "libgen.h malloc.h memory.h sys/time.h sys/types.h sys/stat.h sys/mman.h sys/resource.h sys/times.h sys/wait.h sys/utsname.h sys/sysinfo.h sys/ioctl.h");
    return std::set<std::string, std::less<>>(std::istream_iterator<std::string>(words), {});
  }();
  return names.contains(header);
}

// Returns #includes of C and C++ headers, which precede the prelude: its macros would change them.
std::string standard_headers(const std::vector<std::string>& included, const std::string& standard) {
  std::string text;
  std::set<std::string> known;
  const auto add = [&](const std::string& name) {
    if (known.insert(name).second) text += "#include <" + name + ">\n";
  };
  for (const char* name : always_included) add(name);
  for (const std::string& name : included)
    if (is_standard(name, standard)) add(name);
  return text;
}

// Words of the sources and names of their headers, by which the parts of the prelude are chosen.
using Words = std::set<std::string, std::less<>>;

Words words_of(const std::vector<source::SourceFile>& sources, const std::vector<std::string>& included) {
  Words words;
  for (const source::SourceFile& source : sources) words.merge(device::words_of(source.code));
  for (const std::string& header : included) {
    const std::size_t folder = header.find("cooperative_groups") == 0 ? std::string::npos : header.rfind('/');
    words.insert(
        device::word_for_header(cuda_name(folder == std::string::npos ? header : header.substr(folder + 1))));
  }
  for (const std::string& word : Words(words)) words.insert(cuda_name(word));
  return words;
}

// The warp size is HIP's, and none for CUDA.
std::string runtime_api(const Words& words, std::optional<WarpSize> of_hip) {
  std::string api =
      header_text("runtime_api.cuh") + header_text("texture_api.cuh") + header_text("runtime_templates.cuh");
  if (of_hip) api += hip_api(api, *of_hip);
  for (const char* name : {"library_api.cuh", "cublas.cuh", "helper_cuda.cuh", "nvtx.cuh"})
    if (const std::string header = header_text(name); device::is_needed_for(header, words))
      api += of_hip ? header_in_hip(header) : header;
  return api;
}

// Returns the prelude of .cpp files: as with nvcc, CUDA's types and the runtime API, but no device code.
std::string prelude_of_host_files(const Words& words, const std::string& headers) {
  std::string prelude = headers + "#define GPULAB_HOST_FILE 1\n";
  for (const EmbeddedFile& part : simulator::compile::prelude_parts())
    if (const std::string_view name = part.name;
        name == "language.cuh" || name == "vector_types.cuh" ||
        (name == "complex_numbers.cuh" && device::is_needed_for(part.text, words)))
      prelude += std::string(part.text) + "\n";
  return prelude + runtime_api(words, std::nullopt);
}

std::string prelude_of(const Words& words, const std::string& headers, bool is_hip, WarpSize warp_size) {
  std::string prelude = headers + simulator::compile::warp_size_definition(warp_size);
  for (const EmbeddedFile& part : simulator::compile::prelude_parts())
    if (std::string_view(part.name) != "memory.cuh" && device::is_needed_for(part.text, words))
      prelude += std::string(part.text) + "\n";
  prelude += runtime_api(words, is_hip ? std::optional(warp_size) : std::nullopt);
  const std::string fetches = header_text("texture_fetches.cuh");
  return device::is_needed_for(fetches, words) ? prelude + fetches : prelude;
}

// Returns the compiler's words. For a warp function that CUDA has removed they say what replaces it.
std::string with_advice(const std::string& error) {
  for (const char* name : {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot"})
    for (const auto& [left, right] : {std::pair{"‘", "’"}, std::pair{"'", "'"}})
      if (error.find(std::string(left) + name + right) != std::string::npos)
        return error.substr(0, error.find(';')) + "; CUDA has removed it: write " + name +
               "_sync(0xffffffff, ...), whose mask names the lanes that take part";
  return error;
}

// The compiler's messages, with the names of files as the user knows them.
class CompilerLog {
 public:
  CompilerLog(const std::vector<source::SourceFile>& sources, const std::vector<source::RewrittenText>& texts,
              const std::string& compiler, const std::string& log)
      : sources_(sources), texts_(texts), compiler_(compiler) {
    bool is_kept = true;
    const bool has_hip = is_hip(sources);
    for (const std::string& line : lines_of(log))
      is_kept = !is_undefined_reference(line) && add(has_hip ? in_hip(line) : line, is_kept);
  }

  // Throws CompileError if a function or a variable is used that is defined nowhere.
  void refuse_undefined() const {
    if (undefined_.empty()) return;
    const std::string& file = sources_.front().name;
    const auto& [source, line] = undefined_at_;
    const CompileError error(
        file + " does not link: " + undefined_ +
            (line > 0 ? " is used in " + sources_[source].name + ", line " + std::to_string(line)
                      : " is used") +
            ", but none of the given files defines it; is another source file missing? Name all "
            "files: gpulab run " +
            file + " OTHER.cu",
        text_, {.kind = DefectKind::does_not_compile, .line = source == 0 ? line : 0});
    throw UndefinedName(error, undefined_);
  }

  [[noreturn]] void refuse(const sandbox::CommandResult& result) const {
    const std::string& file = sources_.front().name;
    const auto error = [&](const std::string& words, int line) {
      return CompileError(words, text_,
                          {.kind = DefectKind::does_not_compile,
                           .line = line,
                           .complaint = line > 0 ? first_error_ : std::string()});
    };
    using Limit = sandbox::CommandResult::Limit;
    if (result.limit != Limit::none)
      throw error(file + " needs too much " +
                      (result.limit == Limit::time     ? "time"
                       : result.limit == Limit::memory ? "memory"
                                                       : "disk space") +
                      " to compile: does a template or a macro expand without limit?",
                  0);
    if (!library_.empty())
      throw error(
          file + " does not link: there is no library " + library_ + "; -L says in which folder it is", 0);
    if (!defined_twice_.empty())
      throw error(file + " does not link: " + defined_twice_ + " is defined more than once", 0);
    if (first_error_.empty()) {
      refuse_undefined();
      throw simulator::compile::not_compiled(file, compiler_, result);
    }
    const bool is_main = first_source_ == 0;
    refuse_missing_of_library();
    throw TextErrors(error(sources_[first_source_].name + " does not compile: line " +
                               std::to_string(first_line_) + ": " + first_error_,
                           is_main ? first_line_ : 0),
                     errors_);
  }

 private:
  // Refuses a name that the header of a library lacks here: "'cublasSgbmv' was not declared in this scope".
  void refuse_missing_of_library() const {
    const std::string complaint = first_error_.substr(0, first_error_.find(';'));  // without "did you mean"
    const std::size_t at = std::min(complaint.find("cublas"), complaint.find("hipblas"));
    constexpr const char* unknown[] = {"not declared", "undeclared", "does not name a type", "unknown type"};
    if (at == std::string::npos || std::ranges::none_of(unknown, [&](const char* words) {
          return complaint.find(words) != std::string::npos;
        }))
      return;
    const std::string missing =
        "the simulated device does not have " + std::string(source::Scanner(complaint.substr(at)).word());
    throw source::NotOffered(
        sources_[first_source_].name + ", line " + std::to_string(first_line_) + ": " + missing, text_,
        {.kind = DefectKind::does_not_compile,
         .line = first_source_ == 0 ? first_line_ : 0,
         .complaint = missing});
  }

  static void take_name(std::string_view words, const std::string& line, std::string& name,
                        const char* end = "'") {
    source::Scanner scanner(line);
    if (name.empty() && scanner.skip_past(words)) name = scanner.up_to_one_of(end);
  }

  // Takes ".../0/sum.cu:5: warning: undefined reference to `_Z3sumPf'", in which the linker also names what
  // the simulator provides.
  bool is_undefined_reference(const std::string& line) {
    source::Scanner scanner(line);
    if (!scanner.skip_past("undefined reference to `")) return false;
    const std::string symbol(scanner.up_to_one_of("'"));
    if (!undefined_.empty() || ::dlsym(RTLD_DEFAULT, symbol.c_str())) return true;
    undefined_ = device::demangled_name(symbol);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      source::Scanner place(line);
      if (place.skip_past(source::place_of(sources_, i) + ":"))
        undefined_at_ = {i, place.number().value_or(0)};
    }
    return true;
  }

  // Adds a line such as "0/sum.cu:4:5: error: ..." (file 0). Returns whether to keep its continuation lines.
  bool add(const std::string& line, bool is_kept) {
    take_name("multiple definition of `", line, defined_twice_);
    take_name("cannot find -l", line, library_, ":");
    if (line.empty() || line[0] == ' ') {
      if (is_kept) text_ += line + "\n";
      return is_kept;
    }
    // A header's path is "./1/sums.h".
    source::Scanner scanner(line);
    const std::string path = fs::path(scanner.up_to_one_of(":")).lexically_normal();
    const std::optional<int> source = source::Scanner(path).number();
    const bool is_ours =
        source && static_cast<std::size_t>(*source) < sources_.size() &&
        path.ends_with("/" + fs::path(source::place_of(sources_, *source)).filename().string());
    if (!is_ours || !scanner.take(":")) {
      add_error_elsewhere(line);
      return false;
    }
    const std::optional<int> number = scanner.number();
    if (!number || !scanner.take(":")) return false;
    const std::optional<int> column = scanner.number();
    if (column) scanner.take(":");
    scanner.take(" ");
    std::string kind;
    for (const char* word : {"fatal error:", "error:", "warning:", "note:"})
      if (kind.empty() && scanner.take(word)) kind = word;
    scanner.take(" ");
    const int shown_column = column ? texts_[*source].original_column(*number, *column) : 0;
    const std::string words = with_advice(std::string(scanner.rest()));
    text_ += sources_[*source].name + ":" + std::to_string(*number) + ":" +
             (shown_column > 0 ? std::to_string(shown_column) + ":" : "") + " " + kind +
             (kind.empty() ? "" : " ") + words + "\n";
    const bool is_about_the_disk = scanner.rest().starts_with("error writing to");
    const bool is_error = kind.ends_with("error:") && !is_about_the_disk;
    if (is_error)
      errors_.push_back({*source == 0 ? "" : sources_[*source].name, *number, shown_column, words});
    if (is_error && first_error_.empty()) {
      first_error_ = words;
      first_line_ = *number;
      first_source_ = *source;
    }
    reached_from_ = {static_cast<std::size_t>(*source), *number};
    if (first_error_.empty() && !elsewhere_.empty()) blame_the_reaching_line();
    return false;  // the lines that follow show the rewritten text
  }

  // Notes an error in a library's header. g++ names the user's line before it, clang++ after it.
  void add_error_elsewhere(const std::string& line) {
    source::Scanner scanner(line);
    if (!first_error_.empty() || !elsewhere_.empty() || !scanner.skip_past(" error: ")) return;
    elsewhere_ = scanner.rest();
    if (reached_from_.second > 0) blame_the_reaching_line();
  }

  // Reports the error in a header at the user's line from which the compiler came to it.
  void blame_the_reaching_line() {
    first_error_ = elsewhere_;
    std::tie(first_source_, first_line_) = reached_from_;
    errors_.push_back({first_source_ == 0 ? "" : sources_[first_source_].name, first_line_, 0, first_error_});
    text_ +=
        sources_[first_source_].name + ":" + std::to_string(first_line_) + ": error: " + first_error_ + "\n";
  }

  const std::vector<source::SourceFile>& sources_;
  const std::vector<source::RewrittenText>& texts_;
  const std::string& compiler_;
  std::string text_, first_error_, elsewhere_, undefined_, defined_twice_, library_;
  std::vector<TextErrors::TextError> errors_;
  std::pair<std::size_t, int> reached_from_{};  // source and line of the latest message
  std::pair<std::size_t, int> undefined_at_{};
  int first_line_ = 0;
  std::size_t first_source_ = 0;
};

bool is_host_file(const source::SourceFile& source) {
  return source.path.extension() != ".cu" && source.path.extension() != ".cuh";
}

bool uses_openmp(const std::vector<source::SourceFile>& sources) {
  return std::ranges::any_of(sources, [](const source::SourceFile& source) {
    return std::ranges::any_of(source.code.tokens(), [](const source::CodeToken& token) {
      if (token.kind != source::TokenKind::directive || source::directive_name(token.text) != "pragma")
        return false;
      source::Scanner scanner(token.text);
      scanner.skip_past("pragma");
      scanner.blanks();
      return scanner.word() == "omp";
    });
  });
}

bool asks_for_openmp(const std::vector<std::string>& of_nvcc) {
  return std::ranges::any_of(
      of_nvcc, [](const std::string& word) { return word.find("-fopenmp") != std::string::npos; });
}

// CUDA's libraries are named by what the program uses of them; its runtime is the simulated device's.
bool is_library_of_cuda(const std::string& library) {
  constexpr std::string_view begins[] = {"cu", "nv", "npp", "nccl"};
  return std::ranges::any_of(begins, [&](std::string_view begin) { return library.starts_with(begin); });
}

void add_options(const source::BuildOptions& options, const std::string& first_unit,
                 std::vector<std::string>& command) {
  std::vector<std::string> words;
  if (options.standard > "c++17") words.push_back("-std=" + options.standard);
  for (const std::string& definition : options.definitions) words.push_back("-D" + definition);
  for (const std::string& name : options.undefined) words.push_back("-U" + name);
  // gpulab exports functions of the C++ library's templates, which must not take the place of the program's.
  words.emplace_back("-Wl,-Bsymbolic");
  // The linker names what nobody defines. What the simulator provides is among it.
  for (const char* word : {"-Wl,--no-undefined", "-Wl,--warn-unresolved-symbols", "-Wl,--no-demangle"})
    words.emplace_back(word);
  if (options.is_debugged) words.insert(words.end(), {"-O0", "-g", "-DGPULAB_DEBUGGED"});
  command.insert(std::ranges::find(command, first_unit), words.begin(), words.end());
  for (const fs::path& folder : options.library_folders)
    command.push_back("-L" + fs::absolute(folder).string());
  for (const std::string& library : options.libraries)
    if (!is_library_of_cuda(library)) command.push_back("-l" + library);
}

// Writes an empty file for each included CUDA header: the prelude has its declarations, or a use of its
// library's names is refused.
void write_empty_headers(const fs::path& folder, const std::vector<std::string>& included,
                         const ToolkitHeaders& toolkit) {
  fs::create_directories(folder);
  for (const std::string& name : included) {
    if (!is_left_empty(name) || toolkit.has(name) || name.find("..") != std::string::npos) continue;
    fs::create_directories((folder / name).parent_path());
    write(folder / name, "");
  }
}

[[noreturn]] void refuse(const std::vector<source::SourceFile>& sources, std::size_t source, int line,
                         const std::string& why) {
  const std::string place = line > 0 ? ", line " + std::to_string(line) : "";
  throw CompileError(sources[source].name + place + ": " + why, "",
                     {.kind = DefectKind::does_not_compile, .line = source == 0 ? line : 0});
}

// Refuses reserved names. Returns whether macros join tokens, so that a preprocessor has to run first.
bool refuse_names(const std::vector<source::SourceFile>& sources) {
  bool joins_tokens = false;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (const auto refusal = source::refused_name(sources[i].code))
      refuse(sources, i, refusal->line, refusal->why);
    for (const char* operation : {"##", "%:%:"})
      joins_tokens |= sources[i].code.whole().find(operation) != std::string::npos;
  }
  return joins_tokens;
}

// Returns a command that preprocesses a source with the options of the compile command.
std::vector<std::string> preprocess_command(const std::vector<std::string>& command,
                                            const std::vector<std::string>& units,
                                            const std::string& source) {
  std::vector<std::string> words(command.begin(), std::ranges::find(command, units.front()));
  words.insert(words.end(), {"-E", source});
  return words;
}

}  // namespace

device::Instrumentation instrumentation_for(ProgramWatch watch) {
  if (watch == ProgramWatch::nothing) return device::Instrumentation::none;
  return watch == ProgramWatch::defects ? device::Instrumentation::checked : device::Instrumentation::counted;
}

CompiledProgram compile(const std::vector<source::SourceFile>& sources, const source::BuildOptions& options,
                        ProgramWatch watch, sandbox::Mode mode, device::CompileCache& cache) {
  std::vector<std::string> included = source::foreign_headers(sources);
  const ToolkitHeaders toolkit(included, options.may_use_toolkit);
  const bool may_miss = !missing_in(sources, toolkit).sentence.empty();
  const bool has_to_preprocess = refuse_names(sources) || may_miss;
  source::check_sides(sources);
  const HostCompiler compiler = HostCompiler::find_or_error();
  const bool has_hip = is_hip(sources);
  if (has_hip) included.emplace_back("string");  // hip_runtime.h includes it
  std::vector<source::RewrittenText> texts;
  std::vector<std::string> units, arrays, kernels;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    texts.push_back(source::rewritten(sources[i].name, sources[i].code));
    if (sources[i].is_unit) units.push_back(unit_name(i));
    const source::SourceScan scan = source::scan_source(sources[i].code);
    constexpr std::size_t most_arrays = 1000;
    if (scan.dynamic_shared.size() > most_arrays)
      refuse(sources, i, 0, "it has more than 1 000 extern __shared__ arrays");
    for (const std::string& name : scan.dynamic_shared)
      if (std::ranges::find(arrays, name) == arrays.end()) arrays.push_back(name);
    kernels.insert(kernels.end(), scan.kernels.begin(), scan.kernels.end());
  }
  Words words = words_of(sources, included);
  for (const std::string& word : toolkit.words()) words.insert(word);
  const std::string headers = standard_headers(included, options.standard) + toolkit.includes();
  const WarpSize warp_size(options.warp_size != 0 ? options.warp_size : has_hip ? WarpSize::most : 32);
  const std::string prelude = prelude_of(words, headers, has_hip, warp_size);
  constexpr const char* arrays_file = "shared.cpp";
  units.push_back(arrays_file);
  std::vector<std::string> command =
      compiler.program_command(units, instrumentation_for(watch), shared_object,
                               uses_openmp(sources) || asks_for_openmp(options.of_nvcc));
  add_options(options, units.front(), command);
  const std::vector<std::string> of_toolkit = toolkit.options();
  command.insert(std::ranges::find(command, units.front()), of_toolkit.begin(), of_toolkit.end());
  // Makes __FILE__ the file's own name. An included file is found from here, as "./3/sum.cuh".
  command.insert(std::ranges::find(command, units.front()), {"-iquote", "."});
  std::set<std::string> places;
  for (std::size_t i = 0; i < sources.size(); ++i)
    for (const std::string& place : {source::place_of(sources, i), "./" + source::place_of(sources, i)}) {
      places.insert(place);
      command.push_back("-fmacro-prefix-map=" + place + "=" + sources[i].name);
      if (options.is_debugged)
        command.push_back("-fdebug-prefix-map=" + place + "=" + sources[i].path.string());
    }

  std::string first_includes;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i].is_before) first_includes += "#include \"" + source::place_of(sources, i) + "\"\n";
  const std::string arrays_text = simulator::compile::dynamic_shared_region(arrays);
  const std::string host_prelude = prelude_of_host_files(words, headers);
  std::string key = "program 6 " + compiler.identity();
  for (const std::string& word : command) key += " " + word;
  key += "\n" + prelude + host_prelude + first_includes + arrays_text;
  key += toolkit.version();
  for (std::size_t i = 0; i < sources.size(); ++i)
    key += "\n" + source::place_of(sources, i) + "\n" + texts[i].text();

  const fs::path entry = cache.entry(key, [&](const fs::path& folder) {
    write(folder / prelude_file, prelude);
    write(folder / host_prelude_file, host_prelude);
    write(folder / arrays_file, arrays_text);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      fs::create_directories((folder / source::place_of(sources, i)).parent_path());
      write(folder / source::place_of(sources, i), sources[i].code.whole());
      if (sources[i].is_unit)
        write(folder / unit_name(i),
              std::string("#include \"") +
                  (!has_hip && is_host_file(sources[i]) ? host_prelude_file : prelude_file) +
                  "\"\n#undef GPULAB_HOOKED\n" + first_includes + "#include \"" +
                  source::place_of(sources, i) + "\"\n");
    }
    write_empty_headers(folder / HostCompiler::headers_folder, included, toolkit);
    toolkit.write_to(folder);
    std::vector<fs::path> readable = sandbox::files_of_a_compiler(compiler.path());
    std::ranges::copy(toolkit.readable(), std::back_inserter(readable));
    readable.insert(readable.end(), options.library_folders.begin(), options.library_folders.end());
    const sandbox::Confinement confinement(mode, {.read = readable, .write = {folder, "/dev/null"}},
                                           sandbox::SystemCalls::compiler);
    for (std::size_t i = 0; has_to_preprocess && i < sources.size(); ++i) {
      if (!sources[i].is_unit) continue;
      constexpr const char* judged_file = "judged.cpp";
      write(folder / judged_file, "#include \"prelude.cuh\"\n" +
                                      simulator::compile::macros_that_stay(prelude) + first_includes +
                                      "#include \"" + source::place_of(sources, i) + "\"\n");
      sandbox::CommandLimits text_limits = limits;
      text_limits.output_bytes = std::size_t{64} << 20;
      const auto text = sandbox::run_command(preprocess_command(command, units, judged_file), folder,
                                             text_limits, &confinement);
      using Limit = sandbox::CommandResult::Limit;
      if (text.limit == Limit::output || text.limit == Limit::time)
        CompilerLog(sources, texts, compiler.path().string(), text.output).refuse(text);
      if (may_miss) refuse_missing(sources, text.output, toolkit);
      if (const auto refusal = source::refused_in_program(text.output, places))
        refuse(sources, i, refusal->line, refusal->why);
    }
    for (std::size_t i = 0; i < sources.size(); ++i)
      write(folder / source::place_of(sources, i), texts[i].text());
    const sandbox::CommandResult result = sandbox::run_command(command, folder, limits, &confinement);
    const std::string path = compiler.path().string();
    const CompilerLog log(sources, texts, path, result.output);
    if (result.exit_status != 0 || !fs::exists(folder / shared_object)) log.refuse(result);
    log.refuse_undefined();
    if (const auto refusal = simulator::compile::refused_hook(folder / shared_object))
      refuse(sources, 0, 0, refusal->why);
  });
  return {entry / shared_object, fs::path(source::place_of(sources, 0)).filename().string(), kernels, sources,
          warp_size};
}

}  // namespace gpulab::program
