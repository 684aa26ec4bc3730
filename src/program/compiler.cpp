#include "program/compiler.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "device/libraries.hpp"
#include "device/symbols.hpp"
#include "program/compiler_log.hpp"
#include "program/hip.hpp"
#include "program/names.hpp"
#include "program/toolkit_headers.hpp"
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
                     *host_prelude_file = "prelude.cuh.host", *warnings_file = "warnings";

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
  for (const char* name : {"library_api.cuh", "cublas.cuh", "curand.cuh", "cufft.cuh", "glut.cuh",
                           "helper_cuda.cuh", "nvtx.cuh"})
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
  for (const char* name : {"texture_fetches.cuh", "async_copies.cuh", "ptx.cuh", "cuda_pipeline.cuh",
                           "cub.cuh", "cub_device.cuh", "wmma.cuh"})
    if (const std::string header = header_text(name); device::is_needed_for(header, words)) prelude += header;
  return prelude;
}

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

// Returns whether a class has a destructor of its own, by which a copy that is left out tells.
bool defines_destructor(const source::Code& code) {
  for (std::size_t i = 0; i + 3 < code.size(); ++i)
    if (code.text(i) == "~" && code[i + 1].kind == source::TokenKind::word && code.text(i + 2) == "(" &&
        code.text(i + 3) == ")")
      return true;
  return false;
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

// Returns those lines of a log in which the compiler warns of variables. It may be long, since the linker
// warns of all that the simulator provides.
std::string warnings_in(const std::string& log) {
  std::string warnings;
  for (const std::string& line : lines_of(log))
    if (line.ends_with("[-Wmaybe-uninitialized]") || line.ends_with("[-Wuninitialized]") ||
        line.ends_with("[-Wunused-result]") || line.ends_with(" was declared here"))
      warnings += line + "\n";
  return warnings;
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
  if (has_hip) included.insert(included.end(), {"string", "thread"});  // hip_runtime.h includes them
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
  // Programs rely on a returned object not being destroyed, so its copies are left out, as nvcc does.
  if (std::ranges::any_of(sources, defines_destructor, &source::SourceFile::code))
    command.insert(std::ranges::find(command, units.front()), "-felide-constructors");
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
  std::string key = "program 8 " + compiler.identity();
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
    write(folder / warnings_file, warnings_in(result.output));
    if (const auto refusal = simulator::compile::refused_hook(folder / shared_object))
      refuse(sources, 0, 0, refusal->why);
    if (std::ranges::none_of(device::elf_symbols(folder / shared_object),
                             [](const device::ElfSymbol& symbol) { return symbol.name == "main"; }))
      refuse(sources, 0, 0,
             "it has no main(), where a program begins; gpulab check takes files that have kernels alone");
  });
  const CompilerLog log(sources, texts, compiler.path().string(),
                        read_file(entry / warnings_file, limits.output_bytes));
  return {entry / shared_object,
          fs::path(source::place_of(sources, 0)).filename().string(),
          kernels,
          sources,
          warp_size,
          log.unset_variables(),
          log.dropped_values()};
}

}  // namespace gpulab::program
