#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "lesson/finding.hpp"
#include "source/launch_text.hpp"

namespace gpulab::source {
namespace {

struct Place {
  const SourceFile* file = nullptr;
  int line = 0;
};

enum class Side { host, device, both };

struct Function {
  std::string name;
  Side side = Side::host;
  bool is_kernel = false, is_template = false;
  Place place;
  std::size_t begin = 0, parameters = 0, body = 0, end = 0;  // tokens of its file
};

// Functions of a file. Its directives are followed and then left out.
class FileScan {
 public:
  explicit FileScan(const SourceFile& file) : file_(file), code_(without_directives(file.code)) { scan(); }

  const SourceFile& file() const { return file_; }
  Place place(std::size_t token) const { return {&file_, code_[token].line}; }
  const Code& code() const { return code_; }
  const std::vector<Function>& functions() const { return functions_; }
  // Returns the functions that are defined inside of classes.
  const std::vector<Function>& members() const { return members_; }
  const std::set<std::string>& macros() const { return macros_; }

  // Puts a function on both sides if a word before its name is a macro.
  void apply(const std::set<std::string>& macros) {
    for (std::vector<Function>* const all : {&functions_, &members_})
      for (Function& function : *all)
        for (std::size_t i = function.begin; i < function.parameters; ++i)
          if (macros.contains(std::string(text(i)))) function.side = Side::both;
  }

 private:
  Code without_directives(const Code& code) {
    std::vector<CodeToken> tokens;
    for (const CodeToken& token : code.tokens()) {
      if (token.kind == TokenKind::directive) {
        read_directive(token.text, tokens.empty());
        continue;
      }
      tokens.push_back(token);
      is_conditional_.push_back(depth_ > guard_depth_);
    }
    return {code, std::move(tokens)};
  }

  // Records macros and the depth of #if; a guard around the whole file is not counted.
  void read_directive(std::string_view directive, bool is_at_start) {
    Scanner scanner(directive);
    const auto next_word = [&] {
      scanner.take_while([](char letter) { return !is_word_character(letter); });
      return std::string(scanner.take_word());
    };
    const std::string name = next_word();
    if (name == "define") macros_.insert(next_word());
    if (name == "ifndef" && is_at_start && depth_ == 0) guard_depth_ = 1;
    if (name.starts_with("if")) ++depth_;
    if (name == "endif") --depth_;
  }

  void scan() {
    std::set<std::size_t> ends;  // closing braces of namespaces
    for (std::size_t i = 0, begin = 0; i < code_.size(); ++i) {
      if (is_one_of(text(i), {"(", "["})) {
        i = code_.matching(i);
      } else if (text(i) == ";") {
        if (code_.has("__device__", {begin, i})) add_function(begin, i, i, functions_);
        begin = i + 1;
      } else if (text(i) == "{" && begins_namespace(begin, i)) {
        ends.insert(code_.matching(i));
        begin = i + 1;
      } else if (text(i) == "{") {
        add_function(begin, i, code_.matching(i), functions_);
        if (defines_class(begin, i)) scan_members(i + 1, code_.matching(i));
        const bool has_semicolon = ends_with_semicolon(begin, i);
        i = code_.matching(i);
        while (has_semicolon && i < code_.size() && text(i) != ";" && !ends.contains(i)) ++i;
        begin = i + 1;
      } else if (ends.contains(i)) {
        begin = i + 1;
      }
    }
  }

  // Returns whether the class of these braces is defined there, rather than named.
  bool defines_class(std::size_t begin, std::size_t body) const {
    for (std::size_t i = begin; i < body && !is_one_of(text(i), {"(", "="}); ++i) {
      if (text(i) == "<") i = code_.matching(i);
      if (is_one_of(text(i), {"struct", "class", "union"})) return true;
    }
    return false;
  }

  // Adds the functions that are defined between the braces of a class, and of the classes in it.
  void scan_members(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (is_one_of(text(i), {"(", "["})) i = code_.matching(i);
      const bool is_access =
          text(i) == ":" && i > 0 && is_one_of(text(i - 1), {"public", "private", "protected"});
      if (text(i) == ";" || is_access) begin = i + 1;
      if (text(i) != "{") continue;
      const std::size_t last = code_.matching(i);
      if (defines_class(begin, i))
        scan_members(i + 1, last);
      else
        add_function(begin, i, last, members_);
      i = last;
      begin = i + 1;
    }
  }

  bool begins_namespace(std::size_t begin, std::size_t body) const {
    const bool is_linkage = body > begin && text(begin) == "extern" && text(body - 1).starts_with('"');
    return is_linkage || text(begin) == "namespace" || text(begin + 1) == "namespace";
  }

  // Returns whether a semicolon follows these braces: those of a type, or of a variable's value.
  bool ends_with_semicolon(std::size_t begin, std::size_t body) const {
    if (body == begin || text(body - 1) == ")") return false;
    while (begin < body && !is_one_of(text(begin), {"struct", "class", "=", "union", "enum"})) ++begin;
    return begin < body;
  }

  std::string_view text(std::size_t i) const { return code_.text(i); }

  bool has_conditional(std::size_t begin, std::size_t end) const {
    for (; begin < end; ++begin)
      if (is_conditional_[begin]) return true;
    return false;
  }

  // Returns the side that the words before the name give. Returns both for a constexpr function, for a
  // template of the device, and if one of the words may be a macro.
  Side side_of(std::size_t begin, std::size_t end) const {
    bool is_device = false, is_host = false;
    std::set<std::string_view> parameters;  // of a template
    for (std::size_t i = begin; i < end; ++i) {
      if (text(i) == "template" && text(i + 1) == "<")
        for (const std::size_t last = code_.matching(i + 1); i < end && i < last; ++i)
          parameters.insert(text(i));
      if (parameters.contains(text(i))) continue;
      is_device |= is_one_of(text(i), {"__device__", "__global__"});
      is_host |= text(i) == "__host__";
      const bool is_like_a_macro =
          code_.is_word(i) && text(i).find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
      if (is_like_a_macro || is_conditional_[i]) return Side::both;
      if (is_one_of(text(i), {"constexpr", "auto"})) return Side::both;
    }
    if (is_device && (is_host || code_.has("template", {begin, end}))) return Side::both;
    return is_device ? Side::device : Side::host;
  }

  void add_function(std::size_t begin, std::size_t body, std::size_t end, std::vector<Function>& functions) {
    for (std::size_t i = begin; i + 1 < body; ++i) {
      if (text(i) == "template" && text(i + 1) == "<") i = code_.matching(i + 1);
      if (is_one_of(text(i), {"=", "struct", "class", "union", "enum"})) return;
      std::size_t open = i + 1;
      while (text(i) == "operator" && open < body && text(open) != "(") ++open;
      if (!code_.is_word(i) || text(open) != "(" || text(i).starts_with("__") ||
          is_one_of(text(i + 2), {"*", "&"}) ||
          is_one_of(text(i), {"alignas", "alignof", "decltype", "sizeof", "noexcept", "explicit",
                              "requires"})) {  // float (*f)(float)
        if (text(i) == "(") i = code_.matching(i);
        continue;
      }
      if (has_conditional(i, end) || code_.has("__global__", {i, end})) return;
      if (i > 0 && text(i - 1) == ":") return;  // a member that is defined outside of its class
      functions.push_back({std::string(text(i)), side_of(begin, i), code_.has("__global__", {begin, i}),
                           code_.has("template", {begin, i}), place(i), begin, open, body, end});
      return;
    }
  }

  int depth_ = 0, guard_depth_ = 0;   // of #if; these members are set while code_ is initialised
  std::vector<bool> is_conditional_;  // for each token: is between #if and #endif
  std::set<std::string> macros_;
  const SourceFile& file_;
  const Code code_;
  std::vector<Function> functions_, members_;
};

// Returns what of the C++ library of the host, which a GPU does not have, is used at i: "std::vector"; else
// an empty text. A type is used where it makes a variable or a value.
std::string use_of_library(const Code& code, std::size_t i) {
  const bool is_in_other = i > 5 && code.text(i - 4) == ":" && code.is_word(i - 6);  // cuda::std::
  const bool is_std = i > 2 && code.text(i - 1) == ":" && code.text(i - 2) == ":" &&
                      code.text(i - 3) == "std" && !is_in_other;
  const std::string_view name = code.text(i), next = code.text(i + 1);
  const auto is_in_text = [&](const char* words) { return code.whole().find(words) != std::string::npos; };
  const bool is_qualified = is_one_of(code.text(i - 1), {":", ".", ">"});
  const bool is_stream = is_one_of(name, {"cout", "cerr", "clog", "cin"});
  const bool is_short = !is_qualified && is_in_text("using namespace std;") &&
                        (is_stream || (name == "vector" && is_in_text("<vector>")));
  if (!is_std && !is_short) return "";
  const std::size_t after = next == "<" ? code.after_bracket(i + 1) : i + 1;
  const bool is_called = code.text(after) == "(";
  const bool is_type = is_one_of(name, {"vector", "string", "map", "set", "unordered_map", "deque", "list",
                                        "queue", "stack", "unordered_set"});
  const bool is_function =
      is_one_of(name, {"sort", "stable_sort", "fill", "copy", "accumulate", "iota", "reverse", "to_string",
                       "max", "min", "swap", "clamp", "max_element", "min_element", "exchange"});
  const bool is_use = is_stream ? is_one_of(next, {"<", ">"}) && code.text(i + 2) == next
                      : is_type ? is_called || code.text(after) == "{" || code.is_word(after)
                                : is_function && is_called;
  return is_use ? "std::" + std::string(name) : "";
}

// Returns whether only the host can call this function of the runtime API.
bool is_of_the_hosts_api(std::string_view name) {
  return is_one_of(name,
                   {"cudaMemcpy", "cudaMemset", "cudaMallocHost", "cudaHostAlloc", "cudaFreeHost",
                    "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol", "cudaEventElapsedTime", "cudaSetDevice"});
}

// Returns what a kernel has instead of a part of the host's C++ library.
std::string instead_of(const std::string& part) {
  if (is_one_of(part, {"std::cout", "std::cerr", "std::clog"})) return "a GPU prints with printf()";
  if (part == "std::vector") return "declare an array, as in float values[4], whose size is a constant";
  if (part == "std::max" || part == "std::min")
    return part.substr(5) + "() without std:: is CUDA's own; or compile with --expt-relaxed-constexpr";
  return "a GPU does not have it";
}

// Returns whether a word before a name may be its type.
bool is_type_word(std::string_view word) {
  return !is_one_of(word, {"return", "else", "do", "case", "goto", "sizeof", "new", "delete", "throw"});
}

class SideCheck {
 public:
  SideCheck(const std::vector<SourceFile>& sources, bool may_call_constexpr)
      : sources_(sources),
        may_call_constexpr_(may_call_constexpr),
        has_managed_memory_(std::ranges::any_of(sources, uses_managed_memory)) {
    for (const SourceFile& source : sources) scans_.emplace_back(source);
    for (const FileScan& scan : scans_) macros_.insert(scan.macros().begin(), scan.macros().end());
    for (FileScan& scan : scans_) {
      scan.apply(macros_);
      for (const Function& function : scan.functions())
        functions_by_name_[function.name].push_back(&function);
    }
  }

  std::vector<HostFunction> host_functions() const {
    std::vector<HostFunction> found;
    for (const FileScan& scan : scans_)
      for (const std::vector<Function>* const all : {&scan.functions(), &scan.members()})
        for (const Function& function : *all)
          if (function.side == Side::host)
            found.push_back(
                {function.name,
                 scan.file().name,
                 {function.place.line, scan.code()[std::min(function.end, scan.code().size() - 1)].line}});
    return found;
  }

  void check() const {
    for (const FileScan& scan : scans_)
      for (const Function& function : scan.functions()) {
        if (function.is_kernel && !has_managed_memory_) check_parameters(scan, function);
        if (function.side != Side::both && !function.is_template) check_body(scan, function);
        if (function.is_kernel) refuse_host_objects(scan, function);
      }
    for (const FileScan& scan : scans_)
      for (const Function& member : scan.members())
        if (member.is_kernel)
          refuse(member.place, "a kernel cannot be a member of a class: write it outside of it");
  }

 private:
  // Returns the function if all of that name in the file and in headers are on that side alone; else null, as
  // for an unknown name. Another file may have a function of its own by that name.
  const Function* only_on(Side side, const std::string& name, const SourceFile& file) const {
    static const std::set<std::string_view> also_elsewhere{
        "min",    "max",  "abs",    "swap",           "clamp",         "pow",   "printf",
        "malloc", "free", "reduce", "sync",           "round",         "floor", "ceil",
        "sqrt",   "exp",  "log",    "fabs",           "fmin",          "fmax",  "sin",
        "cos",    "tan",  "trunc",  "exclusive_scan", "inclusive_scan"};
    const auto found = functions_by_name_.find(name);
    if (also_elsewhere.contains(name)) return nullptr;
    if (found == functions_by_name_.end() || macros_.contains(name)) return nullptr;
    const Function* known = nullptr;
    for (const Function* const function : found->second) {
      const SourceFile& owner = *function->place.file;
      if (owner.is_unit && &owner != &file) continue;
      if (function->side != side || function->is_kernel) return nullptr;
      if (!known) known = function;
    }
    return known;
  }

  [[noreturn]] void refuse(const Place& place, const std::string& why) const {
    source::refuse(sources_, static_cast<std::size_t>(place.file - sources_.data()), place.line, why);
  }

  // Returns whether the program itself defines a function or a macro of that name.
  bool is_known(const std::string& name) const {
    const auto found = functions_by_name_.find(name);
    const auto is_defined = [](const Function* function) { return function->end > function->body; };
    return (found != functions_by_name_.end() && std::ranges::any_of(found->second, is_defined)) ||
           macros_.contains(name);
  }

  // Refuses a part of the host's C++ library, or an exception, that begins at i in device code.
  void refuse_host_only(const FileScan& scan, std::size_t i, const std::string& caller) const {
    const Code& code = scan.code();
    const Place place = scan.place(i);
    if (const std::string part = use_of_library(code, i); !part.empty() && !may_call_constexpr_)
      refuse(place, fmt::format("{} is of the host's C++ library, and {} uses it: {}", part, caller,
                                instead_of(part)));
    if (code.text(i) == "try" || (code.text(i) == "throw" && code.text(i + 1) != "("))
      refuse(place, fmt::format(
                        "{} has {}, but device code has no exceptions: write an error to memory, or __trap()",
                        caller, code.text(i)));
  }

  // Returns whether the source has managed memory: host memory that kernels can access, even by reference.
  static bool uses_managed_memory(const SourceFile& source) {
    const std::string& text = source.code.whole();
    return text.find("__managed__") != std::string::npos ||
           text.find("cudaMallocManaged") != std::string::npos;
  }

  void check_parameters(const FileScan& scan, const Function& kernel) const {
    const Code& code = scan.code();
    const std::size_t end = code.matching(kernel.parameters);
    for (std::size_t i = kernel.parameters + 1; i < end; ++i) {
      if (is_one_of(code.text(i), {"(", "["})) i = code.matching(i);
      if (code.text(i) != "&") continue;
      refuse(
          scan.place(i),
          "the kernel " + kernel.name +
              " has a parameter by reference: it would refer to a variable of the host, which a GPU cannot reach; pass a value, or a pointer to the device's memory");
    }
  }

  // Refuses a parameter of the host's library, in which an object's functions are the host's.
  void refuse_host_objects(const FileScan& scan, const Function& function) const {
    const Code& code = scan.code();
    for (std::size_t i = function.parameters; i < function.body; ++i)
      if (const std::string part = use_of_library(code, i); !part.empty())
        refuse(scan.place(i),
               fmt::format("{} has a parameter that is a {} of the host's C++ library: pass a pointer that "
                           "cudaMalloc gave, with the elements copied to it",
                           function.name, part));
  }

  // Refuses a kernel in whose braces another function begins.
  void refuse_open_brace(const FileScan& scan, const Function& function) const {
    const Code& code = scan.code();
    if (function.side != Side::device) return;
    for (std::size_t i = function.body; i < function.end; ++i) {
      const bool is_main = code.text(i) == "int" && code.text(i + 1) == "main" && code.text(i + 2) == "(";
      if (!is_main && code.text(i) != "__global__") continue;
      const std::size_t brace = open_brace(code);
      refuse(scan.place(brace < code.size() ? brace : function.body),
             "a { is never closed: write } where its block ends");
    }
  }

  // Checks a body, unless the preprocessor or lambdas divide it into code for both sides.
  void check_body(const FileScan& scan, const Function& function) const {
    const Code& code = scan.code();
    refuse_open_brace(scan, function);
    std::set<std::string_view> own;  // names that the function declares itself
    int depth = 0;                   // of parentheses
    for (std::size_t i = function.parameters; i < function.end; ++i) {
      if (code.text(i) == "(") ++depth;
      if (code.text(i) == ")") --depth;
      const bool is_device_lambda = code.text(i) == "__device__" && code.text(i + 1) != "__host__";
      if (function.side == Side::host && is_device_lambda && i > function.body + 3 &&
          code.text(i - 1) == "]" && code.text(i - 2) == "&" && code.text(i - 3) == "[")
        refuse(
            scan.place(i),
            "a __device__ lambda captures by reference, but a kernel cannot access variables of the host; write [=], which copies them");
      if (i > function.body && is_one_of(code.text(i), {"__device__", "__host__"})) return;
      if (code.text(i - 1) == "]" && macros_.contains(std::string(code.text(i)))) return;  // of a lambda
      if (code.text(i) == "[" && (code.text(i - 1) == "auto" || code.text(i - 2) == "auto"))
        for (std::size_t name = i + 1; name < code.matching(i); ++name) own.insert(code.text(name));
      const std::string_view before = code.text(i - 1);
      const bool is_after_type =
          (code.is_word(i - 1) && is_type_word(before)) || is_one_of(before, {"*", "&", ">", ","});
      const bool is_declared = is_after_type && !is_one_of(code.text(i + 1), {".", "("});
      const bool is_local = i < function.body || (code.is_word(i - 1) && is_type_word(before)) ||
                            (is_declared && (before != "," || depth == 0 || code.text(i + 1) == "="));
      if (code.is_word(i) && is_local) own.insert(code.text(i));
    }
    const bool is_device = function.side == Side::device;
    for (std::size_t i = function.body; i < function.end; ++i) {
      const std::string name(code.text(i));
      const std::string_view before = code.text(i - 1);
      const bool is_qualified = is_one_of(before, {".", ">", ":"});  // a.x, a->x, a::x
      if ((name == "sizeof" || name == "decltype") && code.text(i + 1) == "(") i = code.matching(i + 1);
      if (!code.is_word(i) || own.contains(name)) continue;
      const std::string caller =
          (function.is_kernel ? "the kernel " : "the __device__ function ") + function.name;
      if (is_device && !is_known(name)) refuse_host_only(scan, i, caller);
      if (is_qualified) continue;
      const bool is_variable_of_kernels =
          code.text(i + 1) == "." && is_one_of(name, {"threadIdx", "blockIdx", "blockDim", "gridDim"});
      const bool is_barrier = code.text(i + 1) == "(" && (name == "__syncthreads" || name == "__syncwarp");
      if (function.name == "main" && !is_known(name) && (is_variable_of_kernels || is_barrier))
        refuse(scan.place(i), fmt::format("main() of the host uses {}, which only kernels have: {}", name,
                                          is_barrier ? "cudaDeviceSynchronize() lets the host wait for them"
                                                     : "use it in a kernel"));
      const bool is_of_template =
          code.text(i + 1) == "<" && code.text(i + 2) != "<" && code.text(code.after_bracket(i + 1)) == "(";
      if (code.text(i + 1) == "(" || is_of_template) {
        const Function* const called = only_on(is_device ? Side::host : Side::device, name, scan.file());
        if (is_device && (is_host_library_function(name) || is_of_the_hosts_api(name)) && !is_known(name))
          refuse(
              scan.place(i),
              fmt::format("{}() is a function of the host's library, and {} calls it: a GPU does not have it",
                          name, caller));
        if (called && is_device)
          refuse(
              called->place,
              fmt::format(
                  "{}() is a function of the host, and {} calls it in line {}: write __device__ before it, or __host__ __device__ for both sides",
                  name, caller, code[i].line));
        if (called)
          refuse(
              scan.place(i),
              fmt::format(
                  "{}() is a __device__ function, and {}() of the host calls it: write __host__ __device__ before it in line {}",
                  name, function.name, called->place.line));
      }
    }
  }

  const std::vector<SourceFile>& sources_;
  const bool may_call_constexpr_, has_managed_memory_;
  std::vector<FileScan> scans_;
  std::map<std::string, std::vector<const Function*>> functions_by_name_;
  std::set<std::string> macros_;
};

}  // namespace

bool is_host_library_function(std::string_view name) {
  static const std::set<std::string_view> names{
      "rand",   "srand",   "rand_r",  "drand48",  "random",  "atoi",    "atol",   "atof",    "strtol",
      "strtof", "strtod",  "strtoul", "strtoll",  "strlen",  "strcmp",  "strcpy", "strncpy", "strcat",
      "strstr", "strncat", "strchr",  "strdup",   "sprintf", "fprintf", "sscanf", "puts",    "putchar",
      "scanf",  "fgets",   "fopen",   "snprintf", "fclose",  "fread",   "fwrite", "getenv",  "time",
      "qsort",  "bsearch", "sleep",   "usleep",   "exit",    "system",  "getchar"};
  return names.contains(name);
}

std::vector<HostFunction> host_functions(const std::vector<SourceFile>& sources) {
  return SideCheck(sources, /*may_call_constexpr=*/true).host_functions();
}

void check_sides(const std::vector<SourceFile>& sources, bool may_call_constexpr) {
  SideCheck(sources, may_call_constexpr).check();
}

}  // namespace gpulab::source
