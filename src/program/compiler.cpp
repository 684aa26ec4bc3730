#include "program/compiler.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "device/libraries.hpp"
#include "device/symbols.hpp"
#include "program/compiler_log.hpp"
#include "program/hip.hpp"
#include "program/names.hpp"
#include "program/object_sides.hpp"
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
  if (standard > "c++17" &&
      is_one_of(header, {"barrier", "bit", "compare", "concepts", "coroutine", "latch", "numbers", "ranges",
                         "semaphore", "span", "version", "syncstream", "stop_token", "source_location"}))
    return true;
  static const auto names = words_in(
      "bits/stdc++.h algorithm any array atomic bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes climits "
      "clocale cmath codecvt complex condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cwchar cwctype deque exception execution filesystem forward_list fstream functional future "
      "initializer_list iomanip ios iosfwd iostream istream iterator limits list locale map memory memory_resource mutex new numeric optional ostream queue random ratio regex scoped_allocator set shared_mutex sstream stack "
      "stdexcept streambuf string string_view strstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector assert.h complex.h ctype.h errno.h fenv.h float.h "
      "inttypes.h limits.h locale.h math.h setjmp.h signal.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h time.h wchar.h wctype.h unistd.h fcntl.h getopt.h dirent.h pthread.h semaphore.h sched.h "
      "libgen.h malloc.h memory.h sys/time.h sys/types.h sys/stat.h sys/mman.h sys/resource.h sys/times.h sys/wait.h sys/utsname.h sys/sysinfo.h sys/ioctl.h");
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
  for (const std::string& word : Words(words)) words.insert(cuda_name(word));  // of a copy, since it inserts
  return words;
}

// Returns the text of the runtime API: HIP's if there is a warp size of HIP, else CUDA's.
std::string runtime_api(const Words& words, std::optional<WarpSize> hip_warp_size) {
  std::string api =
      header_text("runtime_api.cuh") + header_text("texture_api.cuh") + header_text("runtime_templates.cuh");
  if (hip_warp_size) api += hip_api(api, *hip_warp_size);
  if (words.contains(device::word_for_header("math_constants.h"))) api += device::math_constants();
  for (const char* name : {"library_api.cuh", "cublas.cuh", "curand.cuh", "cufft.cuh", "glut.cuh",
                           "helper_cuda.cuh", "nvtx.cuh"})
    if (const std::string header = header_text(name); device::is_needed_for(header, words))
      api += hip_warp_size ? header_in_hip(header) : header;
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
      if (token.kind != source::TokenKind::directive) return false;
      const auto pragma = source::pragma_in(token.text);
      return pragma && source::Scanner(*pragma).take_word() == "omp";
    });
  });
}

// Returns whether an option for nvcc has these words in it.
bool has_option(const source::BuildOptions& options, std::string_view words) {
  return std::ranges::any_of(options.nvcc_options, [&](const std::string& option) {
    return option.find(words) != std::string::npos;
  });
}

// Returns whether a class defines a destructor, which may show whether a copy was elided.
bool defines_destructor(const source::Code& code) {
  for (std::size_t i = 0; i + 3 < code.size(); ++i)
    if (code.text(i) == "~" && code[i + 1].kind == source::TokenKind::word && code.text(i + 2) == "(" &&
        code.text(i + 3) == ")")
      return true;
  return false;
}

// Returns whether a library is one of CUDA's, which are not linked: the simulated device has its own.
bool is_library_of_cuda(const std::string& library) {
  return begins_with_one_of(library, {"cu", "nv", "npp", "nccl"});
}

void add_options(const source::BuildOptions& options, const std::string& first_unit,
                 std::vector<std::string>& command) {
  std::vector<std::string> words{"-D_GLIBCXX_ASSERTIONS"};  // ends a program with an index past a std::vector
  if (options.standard > "c++17") words.push_back("-std=" + options.standard);
  for (const std::string& definition : options.definitions) words.push_back("-D" + definition);
  for (const std::string& name : options.undefined) words.push_back("-U" + name);
  // gpulab exports functions of the C++ library's templates, which must not take the place of the program's.
  words.emplace_back("-Wl,-Bsymbolic");
  // The linker lists undefined symbols, among them those that the simulator provides.
  // It keeps the references of the code, by which the sides are checked.
  for (const char* word :
       {"-Wl,--no-undefined", "-Wl,--warn-unresolved-symbols", "-Wl,--no-demangle", "-Wl,--emit-relocs"})
    words.emplace_back(word);
  if (options.is_debugged) words.insert(words.end(), {"-O0", "-g", "-DGPULAB_DEBUGGED"});
  command.insert(std::ranges::find(command, first_unit), words.begin(), words.end());
  for (const fs::path& folder : options.library_folders)
    for (const char* option : {"-L", "-Wl,-rpath,"})
      command.push_back(option + fs::absolute(folder).string());
  for (const std::string& library : options.libraries)
    if (!is_library_of_cuda(library)) command.push_back("-l" + library);
}

// Writes an empty file for each included CUDA header: the prelude has its declarations, or a use of its
// library's names is refused.
void write_empty_headers(const fs::path& folder, const std::vector<std::string>& included,
                         const ToolkitHeaders& toolkit) {
  fs::create_directories(folder);
  for (const std::string& name : included) {
    if (!is_stubbed(name) || toolkit.has(name) || name.find("..") != std::string::npos) continue;
    fs::create_directories((folder / name).parent_path());
    write(folder / name, "");
  }
}

// Refuses reserved names. Returns whether macros join tokens, so that a preprocessor has to run first.
bool refuse_names(const std::vector<source::SourceFile>& sources) {
  bool joins_tokens = false;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (const auto refusal = source::refused_name(sources[i].code))
      source::refuse(sources, i, refusal->line, refusal->why);
    for (const char* operation : {"##", "%:%:"})
      joins_tokens |= sources[i].code.whole().find(operation) != std::string::npos;
  }
  return joins_tokens;
}

// Returns the lines of a log that warn of variables without a value and of unused results. The log may be
// long, since the linker warns of every symbol that the simulator provides.
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

constexpr const char* arrays_file = "shared.cpp";

// The build of a program: its rewritten texts, and the command that makes a shared object of them.
class ProgramBuild {
 public:
  // Throws CompileError for names and constructs in the sources that gpulab refuses.
  ProgramBuild(const std::vector<source::SourceFile>& sources, const source::BuildOptions& options,
               ProgramWatch watch)
      : sources_(sources),
        options_(options),
        included_(source::foreign_headers(sources)),
        toolkit_(included_, options.may_use_toolkit),
        may_use_missing_names_(!missing_in(sources, toolkit_).sentence.empty()),
        has_to_preprocess_(refuse_names(sources) || may_use_missing_names_),
        has_hip_(is_hip(sources)),
        warp_size_(options.warp_size != 0 ? options.warp_size
                   : has_hip_             ? WarpSize::max_lanes
                                          : 32),
        compiler_(HostCompiler::find_or_error()) {
    source::check_sides(sources, has_option(options, "relaxed-constexpr"));
    if (has_hip_) included_.insert(included_.end(), {"string", "thread"});  // hip_runtime.h includes them
    rewrite_sources();
    write_preludes();
    make_command(watch);
  }

  // Returns everything on which the shared object depends.
  std::string key() const {
    // The number grows when gpulab begins to make other objects from the same texts.
    std::string key = "program 9 " + compiler_.identity();
    for (const std::string& word : command_) key += " " + word;
    key += "\n" + prelude_ + host_prelude_ + first_includes_ + arrays_text_ + toolkit_.version();
    for (std::size_t i = 0; i < sources_.size(); ++i)
      key += fmt::format("\n{}\n{}", source::build_path_of(sources_, i), texts_[i].text());
    return key;
  }

  // Compiles the program in an empty folder. Throws CompileError.
  void compile_in(const fs::path& folder, sandbox::Mode mode) const {
    write_sources(folder);
    std::vector<fs::path> readable = sandbox::files_of_a_compiler(compiler_.path());
    std::ranges::copy(toolkit_.readable(), std::back_inserter(readable));
    readable.insert(readable.end(), options_.library_folders.begin(), options_.library_folders.end());
    const sandbox::Confinement confinement(mode, {.read = readable, .write = {folder, "/dev/null"}},
                                           sandbox::SystemCalls::compiler);
    for (std::size_t i = 0; has_to_preprocess_ && i < sources_.size(); ++i)
      if (sources_[i].is_unit) check_preprocessed(i, folder, confinement);
    for (std::size_t i = 0; i < sources_.size(); ++i)
      write(folder / source::build_path_of(sources_, i), texts_[i].text());
    const sandbox::CommandResult result = sandbox::run_command(command_, folder, limits, &confinement);
    const CompilerLog log = log_of(result.output);
    if (result.exit_status != 0 || !fs::exists(folder / shared_object)) log.refuse(result);
    log.refuse_undefined();
    write(folder / warnings_file, warnings_in(result.output));
    refuse_object(folder / shared_object);
    check_sides_of_object(folder / shared_object, sources_);
  }

  // Returns what was compiled in this folder, perhaps by an earlier process.
  CompiledProgram compiled_in(const fs::path& folder) const {
    const std::string warnings = read_file(folder / warnings_file, limits.output_bytes);
    const CompilerLog log = log_of(warnings);
    return {folder / shared_object,
            fs::path(source::build_path_of(sources_, 0)).filename().string(),
            kernels_,
            sources_,
            warp_size_,
            log.unset_variables(),
            log.discarded_results()};
  }

 private:
  void rewrite_sources() {
    source::SharedMacros macros;
    for (const source::SourceFile& source : sources_) source::add_shared_macros(source.code, macros);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      texts_.push_back(source::rewritten(sources_[i].name, sources_[i].code));
      if (sources_[i].is_unit) units_.push_back(unit_name(i));
      if (sources_[i].is_pre_included)
        first_includes_ += "#include \"" + source::build_path_of(sources_, i) + "\"\n";
      const source::SourceScan scan = source::scan_source(sources_[i].code, macros);
      constexpr std::size_t max_arrays = 1000;
      if (scan.dynamic_shared.size() > max_arrays)
        source::refuse(sources_, i, 0, "it has more than 1 000 extern __shared__ arrays");
      for (const std::string& name : scan.dynamic_shared)
        if (std::ranges::find(arrays_, name) == arrays_.end()) arrays_.push_back(name);
      kernels_.insert(kernels_.end(), scan.kernels.begin(), scan.kernels.end());
    }
    arrays_text_ = simulator::compile::dynamic_shared_region(arrays_);
    units_.emplace_back(arrays_file);
  }

  void write_preludes() {
    Words words = words_of(sources_, included_);
    for (const std::string& word : toolkit_.words()) words.insert(word);
    const std::string headers = standard_headers(included_, options_.standard) + toolkit_.includes();
    prelude_ = prelude_of(words, headers, has_hip_, warp_size_);
    host_prelude_ = prelude_of_host_files(words, headers);
  }

  void add_before_units(const std::vector<std::string>& words) {
    command_.insert(std::ranges::find(command_, units_.front()), words.begin(), words.end());
  }

  void make_command(ProgramWatch watch) {
    command_ = compiler_.program_command(units_, instrumentation_for(watch), shared_object,
                                         uses_openmp(sources_) || has_option(options_, "-fopenmp"));
    // Programs rely on a returned object not being copied and destroyed, so copies are elided, as by nvcc.
    if (std::ranges::any_of(sources_, defines_destructor, &source::SourceFile::code))
      add_before_units({"-felide-constructors"});
    add_options(options_, units_.front(), command_);
    add_before_units(toolkit_.options());
    // With this option, the path of an included file is "./3/sum.cuh".
    add_before_units({"-iquote", "."});
    // Makes __FILE__ the file's own name.
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const std::string path = source::build_path_of(sources_, i);
      for (const std::string& place : {path, "./" + path}) {
        places_.insert(place);
        command_.push_back(fmt::format("-fmacro-prefix-map={}={}", place, sources_[i].name));
        if (options_.is_debugged)
          command_.push_back(fmt::format("-fdebug-prefix-map={}={}", place, sources_[i].path.string()));
      }
    }
  }

  std::string include_of(std::size_t i) const {
    return fmt::format("{}#include \"{}\"\n", first_includes_, source::build_path_of(sources_, i));
  }

  // Writes the files as they were typed, for the preprocessor.
  void write_sources(const fs::path& folder) const {
    write(folder / prelude_file, prelude_);
    write(folder / host_prelude_file, host_prelude_);
    write(folder / arrays_file, arrays_text_);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const fs::path place = folder / source::build_path_of(sources_, i);
      fs::create_directories(place.parent_path());
      write(place, sources_[i].code.whole());
      const char* const prelude = !has_hip_ && is_host_file(sources_[i]) ? host_prelude_file : prelude_file;
      if (sources_[i].is_unit)
        write(folder / unit_name(i),
              fmt::format("#include \"{}\"\n#undef GPULAB_HOOKED\n{}", prelude, include_of(i)));
    }
    write_empty_headers(folder / HostCompiler::headers_folder, included_, toolkit_);
    toolkit_.write_to(folder);
  }

  // Refuses names and constructs that only a file's preprocessed text shows.
  void check_preprocessed(std::size_t i, const fs::path& folder,
                          const sandbox::Confinement& confinement) const {
    constexpr const char* checked_file = "judged.cpp";
    write(folder / checked_file,
          "#include \"prelude.cuh\"\n" + simulator::compile::macros_that_stay(prelude_) + include_of(i));
    sandbox::CommandLimits text_limits = limits;
    text_limits.output_bytes = std::size_t{64} << 20;
    const auto text = sandbox::run_command(preprocess_command(command_, units_, checked_file), folder,
                                           text_limits, &confinement);
    using Limit = sandbox::CommandResult::Limit;
    if (text.limit == Limit::output || text.limit == Limit::time) log_of(text.output).refuse(text);
    if (may_use_missing_names_) refuse_missing(sources_, text.output, toolkit_);
    if (const auto refusal = source::refused_in_program(text.output, places_))
      source::refuse(sources_, i, refusal->line, refusal->why);
  }

  void refuse_object(const fs::path& object) const {
    if (const auto refusal = simulator::compile::refused_hook(object))
      source::refuse(sources_, 0, 0, refusal->why);
    const auto is_main = [](const device::ElfSymbol& symbol) { return symbol.name == "main"; };
    if (std::ranges::any_of(device::elf_symbols(object), is_main)) return;
    std::vector<std::string> functions;  // with as many letters
    const source::Code& code = sources_.front().code;
    for (std::size_t at = 1; at < code.size(); ++at)
      if (code.text(at - 1) == "int" && code.text(at).size() == 4 && code.text(at + 1) == "(")
        functions.emplace_back(code.text(at));
    const std::string nearest = nearest_name("main", functions);
    source::refuse(
        sources_, 0, 0,
        "it has no main(), where a program begins; " +
            (nearest.empty() ? "add a main(); gpulab check takes the files of exercises without one"
                             : fmt::format("is {}() to be main()?", nearest)));
  }

  CompilerLog log_of(const std::string& output) const {
    return {sources_, texts_, compiler_.path().string(), output};
  }

  const std::vector<source::SourceFile>& sources_;
  const source::BuildOptions& options_;
  std::vector<std::string> included_;
  ToolkitHeaders toolkit_;
  bool may_use_missing_names_, has_to_preprocess_, has_hip_;
  WarpSize warp_size_;
  HostCompiler compiler_;
  std::vector<source::RewrittenText> texts_;
  std::vector<std::string> units_, arrays_, kernels_;
  std::string first_includes_, arrays_text_, prelude_, host_prelude_;
  std::vector<std::string> command_;
  std::set<std::string> places_;  // of the files, as the compiler names them
};

}  // namespace

device::Instrumentation instrumentation_for(ProgramWatch watch) {
  if (watch == ProgramWatch::nothing) return device::Instrumentation::none;
  return watch == ProgramWatch::defects ? device::Instrumentation::checked : device::Instrumentation::counted;
}

CompiledProgram compile(const std::vector<source::SourceFile>& sources, const source::BuildOptions& options,
                        ProgramWatch watch, sandbox::Mode mode, device::CompileCache& cache) {
  const ProgramBuild build(sources, options, watch);
  CompiledProgram compiled = build.compiled_in(
      cache.entry(build.key(), [&](const fs::path& folder) { build.compile_in(folder, mode); }));
  compiled.has_extended_lambdas = has_option(options, "extended-lambda");
  return compiled;
}

}  // namespace gpulab::program
