#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "device/symbols.hpp"
#include "program/compiler.hpp"
#include "simulator/compile/compiler.hpp"
#include "simulator/compile/module.hpp"
#include "source/cuda_text.hpp"
#include "source/device_code.hpp"

namespace gpulab::program {
namespace {

struct Use {
  std::string what;
  std::string file;
  int line = 0;
};

const std::set<std::string, std::less<>>& missing_names() {
  static const std::set<std::string, std::less<>> names = [] {
    std::istringstream words(header_text("missing_names.txt"));
    return std::set<std::string, std::less<>>(std::istream_iterator<std::string>(words), {});
  }();
  return names;
}

// Returns the library or interface beside the runtime API that a word belongs to, by its prefix.
std::string library_of(std::string_view word) {
  static const std::pair<std::string_view, const char*> libraries[] = {
      {"cublas", "cuBLAS"},
      {"cufft", "cuFFT"},
      {"cusparse", "cuSPARSE"},
      {"cusolver", "cuSOLVER"},
      {"cudnn", "cuDNN"},
      {"nvml", "NVML"},
      {"nccl", "NCCL"},
      {"nvrtc", "NVRTC"},
      {"nppi", "NPP"},
      {"nvjpeg", "nvJPEG"},
      {"MPI_", "MPI"},
      {"hipblas", "hipBLAS"},
      {"rocblas", "rocBLAS"},
      {"hipcub", "hipCUB"},
      {"rocprim", "rocPRIM"},
      {"hiprand", "hipRAND"},
      {"rocrand", "rocRAND"},
      {"hipfft", "hipFFT"},
      {"rocfft", "rocFFT"},
      {"hipsparse", "hipSPARSE"},
      {"rocsparse", "rocSPARSE"},
      {"hipsolver", "hipSOLVER"},
      {"rocsolver", "rocSOLVER"},
      {"miopen", "MIOpen"},
      {"roctx", "ROCTX"},
      {"__builtin_amdgcn_", "AMD's instructions"},
      {"cuMem", "the driver API"},
      {"cuCtx", "the driver API"},
      {"cuModule", "the driver API"},
      {"cuLaunch", "the driver API"},
      {"cuDevice", "the driver API"},
      {"cuInit", "the driver API"}};
  for (const auto& [prefix, name] : libraries)
    if (word.starts_with(prefix) && word.size() > prefix.size()) return name;
  return "";
}

// Returns the library that a header belongs to: "cublas_v2.h".
std::string library_of_header(std::string_view header) {
  if (header == "mpi.h") return "MPI";
  if (header.starts_with("npp")) return "NPP";
  if (header.starts_with("cutlass/") || header.starts_with("cute/")) return "CUTLASS";
  return library_of(header);
}

// Returns the first use of each missing name, in the order of lines.
std::vector<Use> uses_of_missing(const source::SourceFile& source) {
  std::vector<Use> uses;
  std::set<std::string, std::less<>> known;
  for (const source::CodeToken& token : source.code.tokens()) {
    if (token.kind == source::TokenKind::directive && source::directive_name(token.text) == "define") {
      source::Scanner scanner(token.text);
      scanner.skip_past("define");
      scanner.blanks();
      known.emplace(scanner.word());
    }
    if (const auto include =
            token.kind == source::TokenKind::directive ? source::include_in(token.text) : std::nullopt)
      if (const std::string library = library_of_header(include->name);
          !library.empty() && known.insert(library).second)
        uses.push_back(
            {library + " (#include <" + std::string(include->name) + ">)", source.name, token.line});
    if (token.kind == source::TokenKind::word && !known.contains(token.text)) {
      if (missing_names().contains(cuda_name(std::string(token.text)))) {
        uses.push_back({std::string(token.text), source.name, token.line});
        known.emplace(token.text);
      } else if (const std::string library = library_of(token.text);
                 !library.empty() && known.insert(library).second) {
        uses.push_back({library + " (" + std::string(token.text) + ")", source.name, token.line});
      }
    }
  }
  // Kernel files have no textures, but programs do.
  for (const source::UnsupportedUse& use : source::unsupported_uses(source.code))
    if (use.what != "textures and surfaces") uses.push_back({use.what, source.name, use.line});
  std::ranges::stable_sort(uses, {}, &Use::line);
  return uses;
}

}  // namespace

Missing missing_in(const std::vector<source::SourceFile>& sources) {
  std::vector<Use> all;
  std::set<std::string> known;
  for (const source::SourceFile& source : sources)
    for (Use& use : uses_of_missing(source))
      if (known.insert(use.what).second) all.push_back(std::move(use));
  if (all.empty()) return {};
  const Use& first = all.front();
  std::string sentence = "the simulated device does not have " + first.what;
  constexpr std::size_t most = 6;
  for (std::size_t i = 1; i < all.size() && i <= most; ++i)
    sentence += (i == 1 ? "; " + std::to_string(all.size() - 1) + " more " +
                              (all.size() == 2 ? "is" : "are") + " missing: "
                        : ", ") +
                all[i].what + " (line " + std::to_string(all[i].line) +
                (all[i].file == first.file ? "" : " of " + all[i].file) + ")";
  if (all.size() > most + 1) sentence += " ...";
  return {sentence, first.file, first.line};
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

bool any_word(std::string_view list, const std::function<bool(const std::string&)>& matches) {
  std::istringstream words{std::string(list)};
  return std::any_of(std::istream_iterator<std::string>(words), {}, matches);
}

bool is_allowed(const std::string& symbol) {
  // sys_open() of the C++ library makes a file from a descriptor.
  if (symbol.find("sys_open") != std::string::npos) return false;
  constexpr std::string_view checked = "_chk";  // some compilers call __printf_chk instead
  if (symbol.starts_with("__") && symbol.ends_with(checked))
    return is_allowed(symbol.substr(2, symbol.size() - 2 - checked.size()));
  return any_word(allowed_symbols, [&](const std::string& name) { return symbol == name; }) ||
         any_word(allowed_prefixes, [&](const std::string& prefix) { return symbol.starts_with(prefix); }) ||
         simulator::compile::is_provided(symbol);
}

[[noreturn]] void refuse(const source::SourceFile& source, const Refusal& refusal) {
  const std::string place = refusal.line > 0 ? ", line " + std::to_string(refusal.line) : "";
  throw CompileError(source.name + place + ": " + refusal.why, "",
                     {.kind = DefectKind::does_not_compile, .line = refusal.line});
}

// Returns the first line of the code, not of a comment, with that word; 0 if there is none.
int line_with(std::string_view word, const Code& code) {
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code.text(i) == word ||
        (code[i].kind == source::TokenKind::directive && code.text(i).find(word) != std::string_view::npos))
      return code[i].line;
  return 0;
}

// Returns why a word may not occur in the text; empty if it may.
std::string objection_to(std::string_view word) {
  const std::string name(word);
  if (word.find("no_instrument") != std::string_view::npos) return name + " would hide what the program does";
  // The libraries' macros have such names, and some of them join tokens or rename functions.
  const bool is_macro = word.size() > 2 && word[0] == '_' &&
                        (std::isupper(static_cast<unsigned char>(word[1])) ||
                         (word[1] == '_' && std::isupper(static_cast<unsigned char>(word[2]))));
  if (is_macro && !word.ends_with("__") && word != "_Static_assert" && word != "_Bool")
    return name + " is a name of the compiler's library; choose another one";
  return source::objection_to(word);
}

struct Objection {
  std::string word, why;
};

Objection objection_to_words(const Code& code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::string word(code.text(i));
    if (code[i].kind == source::TokenKind::word)
      if (std::string why = objection_to(word); !why.empty()) return {word, why};
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
  throw source::NotOffered(source.name + ", line " + std::to_string(line) + ": " + why, "",
                           {.kind = DefectKind::does_not_compile, .line = line, .complaint = why});
}

void require_exercise_object(const source::SourceFile& source, const CompiledProgram& compiled) {
  for (const std::string& symbol : device::elf_needs(compiled.shared_object).symbols) {
    if (is_allowed(symbol)) continue;
    std::string name = device::demangled_name(symbol);
    name.resize(std::min(name.size(), name.find('(')));
    const std::size_t colon = name.rfind(':');
    refuse(source,
           {line_with(colon == std::string::npos ? name : name.substr(colon + 1), source.code),
            name + "() is not for an exercise's program, which computes, prints and calls the runtime API"});
  }
}

}  // namespace gpulab::program
