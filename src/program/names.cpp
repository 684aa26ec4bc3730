#include "program/names.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "device/libraries.hpp"
#include "device/symbols.hpp"
#include "program/hip.hpp"
#include "simulator/compile/compiler.hpp"
#include "simulator/compile/module.hpp"
#include "source/cuda_text.hpp"
#include "source/device_code.hpp"

namespace gpulab::program {
namespace {

// The first use of a missing name.
struct Use {
  std::string name;
  std::string file;
  int line = 0;
};

// Returns whether missing_names.txt has a name of the runtime API: "cudaGraphCreate", by "cudaGraph*".
bool is_missing(std::string_view word) {
  static const auto names = words_in(header_text("missing_names.txt"));
  return word.starts_with("cuda") && std::ranges::any_of(names, [&](const std::string& name) {
           return name.ends_with('*') ? word.starts_with(std::string_view(name).substr(0, name.size() - 1))
                                      : word == name;
         });
}

// Returns the library or interface beside the runtime API that a word belongs to, by its prefix.
std::string library_of(std::string_view word) {
  struct Library {
    const char* name;
    std::initializer_list<std::string_view> prefixes;
  };
  static const Library libraries[] = {
      {"cuBLASLt", {"cublasLt"}},
      {"cuBLASXt", {"cublasXt"}},
      {"cuSPARSE", {"cusparse"}},
      {"cuSOLVER", {"cusolver"}},
      {"cuDNN", {"cudnn"}},
      {"NVML", {"nvml"}},
      {"NCCL", {"nccl"}},
      {"NVRTC", {"nvrtc"}},
      {"NPP", {"nppi"}},
      {"nvJPEG", {"nvjpeg"}},
      {"MPI", {"MPI_"}},
      {"OpenGL", {"GL/", "GLFW/", "GLuint", "glut", "glfw", "glew"}},
      {"hipBLASLt", {"hipblasLt", "hipblaslt/"}},
      {"rocBLAS", {"rocblas"}},
      {"rocPRIM", {"rocprim"}},
      {"hipRAND", {"hiprand"}},
      {"rocRAND", {"rocrand"}},
      {"hipFFT", {"hipfft"}},
      {"rocFFT", {"rocfft"}},
      {"hipSPARSE", {"hipsparse"}},
      {"rocSPARSE", {"rocsparse"}},
      {"hipSOLVER", {"hipsolver"}},
      {"rocSOLVER", {"rocsolver"}},
      {"MIOpen", {"miopen"}},
      {"HIPRTC", {"hiprtc"}},
      {"AMD's instructions", {"__builtin_amdgcn_"}},
      {"the driver API",
       {"hipModule", "hipFunction_t", "cuMem", "cuCtx", "cuModule", "cuLaunch", "cuDevice", "cuInit"}}};
  for (const auto& [name, prefixes] : libraries)
    if (begins_with_one_of(word, prefixes) && !is_one_of(word, prefixes)) return name;
  return "";
}

// Returns whether a program uses curand_kernel.h, besides cuRAND's functions for the host.
bool uses_random_numbers_in_kernels(const source::Code& code) {
  return std::ranges::any_of(code.tokens(), [](const source::CodeToken& token) {
    return token.text.starts_with("curand_") || token.text.starts_with("curandState");
  });
}

// Adds the names of CUB that the simulated device lacks: "cub::DeviceReduce::ReduceByKey".
void add_missing_of_cub(const source::SourceFile& source, std::vector<Use>& uses) {
  static const auto offered =
      device::words_of(source::Code(header_text("cub.cuh") + header_text("cub_device.cuh")));
  const source::Code& code = source.code;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code.text(i) == "rocprim" && code.text(i + 1) == ":")
      uses.push_back({"rocPRIM", source.name, code[i].line});
    if (!is_one_of(code.text(i), {"cub", "hipcub"})) continue;
    std::string name(code.text(i));
    bool is_offered = true;
    for (; is_offered && code.text(i + 1) == ":" && code.text(i + 2) == ":"; i += 3) {
      name += "::" + std::string(code.text(i + 3));
      is_offered = offered.contains(code.text(i + 3));
    }
    if (!is_offered) uses.push_back({name, source.name, code[i].line});
  }
}

// Returns whether the simulated device's part of GLUT has the name.
bool is_of_glut(std::string_view word) {
  static const auto offered = device::words_of(source::Code(header_text("glut.cuh")));
  return offered.contains(word);
}

// Returns the first use of each missing name, in the order of lines.
std::vector<Use> uses_of_missing(const source::SourceFile& source, const ToolkitHeaders& toolkit) {
  std::vector<Use> uses;
  std::set<std::string, std::less<>> known;
  for (const source::CodeToken& token : source.code.tokens()) {
    if (token.kind == source::TokenKind::directive)
      if (const auto macro = source::macro_in(token.text)) known.emplace(macro->name);
    if (token.kind == source::TokenKind::word && !known.contains(token.text)) {
      if (is_missing(cuda_name(std::string(token.text)))) {
        uses.push_back({std::string(token.text), source.name, token.line});
        known.emplace(token.text);
      } else if (const std::string library = library_of(token.text);
                 !library.empty() && !is_of_glut(token.text) && known.insert(library).second) {
        uses.push_back({fmt::format("{} ({})", library, token.text), source.name, token.line});
      }
    }
  }
  // unsupported_uses() is written for kernel files. Programs may use textures, tensor cores and some
  // libraries.
  add_missing_of_cub(source, uses);
  for (const source::UnsupportedUse& use : source::unsupported_uses(source.code))
    if (use.what != "textures and surfaces" && !use.what.starts_with("CUB") &&
        !use.what.starts_with("tensor cores") && !toolkit.offers(use.what) &&
        (use.what != "cuRAND" || uses_random_numbers_in_kernels(source.code)))
      uses.push_back({use.what, source.name, use.line});
  std::ranges::stable_sort(uses, {}, &Use::line);
  return uses;
}

// Returns whether a header is for one architecture, such as "sm_80_rt.h".
bool is_architecture_header(std::string_view header) {
  source::Scanner scanner(header);
  return scanner.take("sm_") && scanner.take_number();
}

// Returns whether a version of CUDA, or NVIDIA's samples, have a header of this name, which begins with
// "cuda".
bool is_named_after_cuda(std::string_view header) {
  static const auto names = words_in(
      "cuda cudaGL cudaGLTypedefs cudaEGL cudaEGLTypedefs cudaVDPAU cudaVDPAUTypedefs cudaProfiler cudaProfilerTypedefs cudaTypedefs cudaD3D9 cudaD3D10 cudaD3D11 cudalibxt cudart_platform "
      "cuda_awbarrier cuda_awbarrier_helpers cuda_awbarrier_primitives cuda_pipeline cuda_pipeline_helpers cuda_pipeline_primitives cuda_bf16 cuda_fp16 cuda_fp4 cuda_fp6 cuda_fp8 cuda_runtime cuda_runtime_api "
      "cuda_device_runtime_api cuda_egl_interop cuda_gl_interop cuda_vdpau_interop cuda_d3d9_interop cuda_d3d10_interop cuda_d3d11_interop cuda_occupancy cuda_profiler_api cuda_stdint cuda_texture_types "
      "cuda_surface_types cuda_drvapi_dynlink cuda_drvapi_dynlink_cuda cuda_drvapi_dynlink_gl");
  return names.contains(header.substr(0, header.size() - std::string_view(".h").size()));
}

bool is_cuda_header(std::string_view header) {
  const bool is_plain = header.ends_with(".h") && header.find('/') == std::string_view::npos;
  return is_one_of(header, {"cuComplex.h", "host_defines.h", "builtin_types.h", "channel_descriptor.h",
                            "exception.h", "nvToolsExt.h", "cuda_fp16.hpp", "math_functions.h",
                            "math_constants.h", "library_types.h", "vector_types.h", "vector_types.hpp",
                            "vector_functions.h", "vector_functions.hpp"}) ||
         begins_with_one_of(header, {"cooperative_groups", "crt/", "cuda/", "nvtx3", "nvtx", "hip/",
                                     "hipblas/", "roctracer/", "rocprofiler-sdk-roctx/"}) ||
         (is_plain && (begins_with_one_of(header, {"cublas", "hipblas", "cufft", "device_", "driver_",
                                                   "texture_", "surface_", "helper_", "roctx"}) ||
                       is_named_after_cuda(header) || is_architecture_header(header)));
}

// Returns whether a header is of a library that the simulated device may lack as a whole: "thrust/sort.h".
bool is_of_missing_library(std::string_view header) {
  return !library_of(header).empty() ||
         begins_with_one_of(
             header, {"thrust/", "cub/", "hipcub/", "curand", "cutlass/", "cute/", "npp", "mpi.h", "mma.h"});
}

}  // namespace

std::string header_text(std::string_view name) {
  for (const EmbeddedFile& file : program_headers())
    if (file.name == name) return file.text;
  throw std::logic_error("there is no header " + std::string(name));
}

std::set<std::string, std::less<>> words_in(std::string_view text) {
  std::istringstream words{std::string(text)};
  return {std::istream_iterator<std::string>(words), {}};
}

bool is_stubbed(std::string_view header) {
  return is_cuda_header(header) || is_of_missing_library(header);
}

Missing missing_in(const std::vector<source::SourceFile>& sources, const ToolkitHeaders& toolkit) {
  std::vector<Use> all;
  std::set<std::string> known;
  for (const source::SourceFile& source : sources)
    for (Use& use : uses_of_missing(source, toolkit))
      if (known.insert(use.name).second) all.push_back(std::move(use));
  if (all.empty()) return {};
  const Use& first = all.front();
  std::string sentence = "the simulated device does not have " + first.name;
  constexpr std::size_t max_listed = 6;  // after the first
  for (std::size_t i = 1; i < all.size() && i <= max_listed; ++i)
    sentence +=
        (i == 1 ? fmt::format("; {} more {} missing: ", all.size() - 1, all.size() == 2 ? "is" : "are")
                : ", ") +
        all[i].name + " (line " + std::to_string(all[i].line) +
        (all[i].file == first.file ? "" : " of " + all[i].file) + ")";
  if (all.size() > max_listed + 1) sentence += " ...";
  constexpr std::pair<const char*, const char*> with_headers[] = {
      {"Thrust", "; with Thrust's headers it runs here: apt-get install libthrust-dev, or the CUDA Toolkit"},
      {"cuRAND", "; with cuRAND's headers it runs here: install the CUDA Toolkit"}};
  for (const auto& [library, advice] : with_headers) {
    const auto is_of_library = [&](const Use& use) { return use.name.starts_with(library); };
    if (toolkit.may_be_used() && std::ranges::any_of(all, is_of_library)) sentence += advice;
  }
  return {sentence, first.file, first.line};
}

namespace {

int line_count(const source::SourceFile& source) {
  return 1 + static_cast<int>(std::ranges::count(source.code.whole(), '\n'));
}

// Returns the sources as a preprocessor leaves them, with unchanged line numbers: without inactive #if
// branches, and with macros replaced.
std::vector<source::SourceFile> preprocessed_sources(const std::vector<source::SourceFile>& sources,
                                                     const std::string& text) {
  std::vector<std::string> texts(sources.size());
  std::vector<int> last_lines(sources.size(), 1);  // of each text
  std::size_t current = sources.size();
  int line = 0;
  for (const std::string& text_line : lines_of(text)) {
    source::Scanner scanner(text_line);
    if (scanner.take("# ")) {
      line = scanner.take_number().value_or(0);
      scanner.take(" \"");
      const auto file = std::filesystem::path(scanner.up_to_one_of("\"")).lexically_normal();
      for (current = 0; current < sources.size() && file != source::build_path_of(sources, current);)
        ++current;
      if (current < sources.size())
        line = std::min(line, line_count(sources[current]));  // a #line directive may give any number
      continue;
    }
    if (current == sources.size()) continue;
    // A macro's text may come in several lines, each with the number of the macro's use.
    std::string& shown = texts[current];
    for (; last_lines[current] < line; ++last_lines[current]) shown += "\n";
    const bool is_directive = text_line.starts_with('#');  // which has a line of its own
    if (is_directive && !shown.empty() && !shown.ends_with('\n')) ++last_lines[current], shown += "\n";
    shown += text_line + (is_directive ? "\n" : " ");
    last_lines[current] += is_directive ? 1 : 0;
    ++line;
  }
  std::vector<source::SourceFile> result = sources;
  for (std::size_t i = 0; i < sources.size(); ++i) result[i].code = std::move(texts[i]);
  return result;
}

}  // namespace

void refuse_missing(const std::vector<source::SourceFile>& sources, const std::string& preprocessed,
                    const ToolkitHeaders& toolkit) {
  const Missing missing = missing_in(preprocessed_sources(sources, preprocessed), toolkit);
  if (missing.sentence.empty()) return;
  throw source::NotOffered(fmt::format("{}, line {}: {}", missing.file, missing.line, missing.sentence), "",
                           {.kind = DefectKind::does_not_compile,
                            .line = missing.file == sources.front().name ? missing.line : 0,
                            .complaint = missing.sentence});
}

namespace {

using source::Code;
using source::Refusal;

// Symbols of the C library that a judged program may use, beside those with the prefixes below.
constexpr std::string_view allowed_symbols = R"(
__assert_fail __cxa_finalize __dso_handle __errno_location __gmon_start__ __stack_chk_fail abort abs
aligned_alloc atof atoi atol atoll bcmp blockDim blockIdx bsearch calloc clock ctime difftime div
drand48 exit fclose feof ferror fflush fgetc fgets fileno fopen fprintf fputc fputs fread free fscanf
fseek ftell fwrite getc getchar getenv getline gmtime gridDim labs llabs localtime lrand48 malloc memchr
mktime nanosleep perror posix_memalign putc putchar puts qsort rand rand_r random realloc rewind scanf
setbuf setlocale setvbuf sleep snprintf sprintf srand srand48 srandom sscanf stderr stdin stdout
strerror strftime threadIdx time tolower toupper ungetc usleep vfprintf vprintf vsnprintf vsprintf
)";

// Prefixes of symbols of the compiler, of the C++ library, and of code that both devices share.
constexpr std::string_view allowed_prefixes = R"(
_ZNSt _ZNKSt _ZSt _ZNSa _ZNSs _ZNKSs _ZNSi _ZNSo _ZTI _ZTV _ZTS _ZTT _ZTH _ZdlPv _ZdaPv _Znwm _Znam
__cxa_ __gxx_ __isoc __ctype_ str isw _ITM_ _Unwind_ GOMP_ omp_ pthread_mutex_ pthread_once
pthread_cond_ pthread_self pthread_join pthread_create __wrap_ _ZN9__gnu_cxx _ZGVNSt _ZNKSi _ZNKSo _ZNSd
__dynamic_cast __libc_single_threaded __once_proxy
)";

bool is_allowed(const std::string& symbol) {
  // sys_open() of the C++ library makes a file from a descriptor.
  if (symbol.find("sys_open") != std::string::npos) return false;
  constexpr std::string_view checked = "_chk";  // some compilers call __printf_chk instead
  if (symbol.starts_with("__") && symbol.ends_with(checked))
    return is_allowed(symbol.substr(2, symbol.size() - 2 - checked.size()));
  static const auto names = words_in(allowed_symbols), prefixes = words_in(allowed_prefixes);
  const auto begins_symbol = [&](const std::string& prefix) { return symbol.starts_with(prefix); };
  return names.contains(symbol) || std::ranges::any_of(prefixes, begins_symbol) ||
         simulator::compile::is_provided(symbol);
}

[[noreturn]] void refuse(const source::SourceFile& source, const Refusal& refusal) {
  const std::string place = refusal.line > 0 ? ", line " + std::to_string(refusal.line) : "";
  throw CompileError(source.name + place + ": " + refusal.why, "",
                     {.kind = DefectKind::does_not_compile, .line = refusal.line});
}

// Returns the first line with that word outside of comments; 0 if there is none.
int line_with(std::string_view word, const Code& code) {
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code.text(i) == word ||
        (code[i].kind == source::TokenKind::directive && code.text(i).find(word) != std::string_view::npos))
      return code[i].line;
  return 0;
}

// Returns why a word may not occur in the text; empty if it may.
std::string reason_to_refuse(std::string_view word) {
  const std::string name(word);
  if (word.find("no_instrument") != std::string_view::npos) return name + " would hide what the program does";
  // The libraries' macros have such names, and some of them join tokens or rename functions.
  const auto is_upper = [&](std::size_t i) { return std::isupper(static_cast<unsigned char>(word[i])) != 0; };
  const bool is_reserved =
      word.size() > 2 && word[0] == '_' && (is_upper(1) || (word[1] == '_' && is_upper(2)));
  if (is_reserved && !word.ends_with("__") && word != "_Static_assert" && word != "_Bool")
    return name + " is a name of the compiler's library; choose another one";
  return source::reason_to_refuse(word);
}

struct Objection {
  std::string word, why;
};

Objection objection_to_words(const Code& code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::string word(code.text(i));
    if (code[i].kind == source::TokenKind::word)
      if (std::string why = reason_to_refuse(word); !why.empty()) return {word, why};
    if (code[i].kind != source::TokenKind::directive) continue;
    const std::string_view directive =
        code.text(i).substr(std::min(word.find_first_not_of("#%: \t"), word.size()));
    for (const char* joins : {"##", "%:%:"})
      if (directive.starts_with("define") && directive.find(joins) != std::string_view::npos)
        return {joins, "a macro that joins words (##) is not for an exercise"};
    if (Objection inside = objection_to_words(code.part(directive, 0)); !inside.why.empty()) return inside;
  }
  return {};
}

}  // namespace

void require_exercise_text(const source::SourceFile& source) {
  const auto [word, why] = objection_to_words(source.code.with_lines_joined());
  if (why.empty()) return;
  const int line = line_with(word, source.code);
  if (!source::is_assembly(word)) refuse(source, {line, why});
  throw source::NotOffered(fmt::format("{}, line {}: {}", source.name, line, why), "",
                           {.kind = DefectKind::does_not_compile, .line = line, .complaint = why});
}

void refuse_exercise_function(const source::SourceFile& source, std::string name) {
  name.resize(std::min(name.size(), name.find('(')));
  const std::size_t colon = name.rfind(':');
  refuse(source,
         {line_with(colon == std::string::npos ? name : name.substr(colon + 1), source.code),
          name + "() is not for an exercise's program, which computes, prints and calls the runtime API"});
}

void require_exercise_object(const source::SourceFile& source, const CompiledProgram& compiled) {
  for (const std::string& symbol : device::elf_needs(compiled.shared_object).symbols)
    if (!is_allowed(symbol)) refuse_exercise_function(source, device::demangled_name(symbol));
}

}  // namespace gpulab::program
