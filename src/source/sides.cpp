#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "lesson/finding.hpp"
#include "source/cuda_text.hpp"
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
  bool is_kernel = false;
  Place place;
  std::size_t parameters = 0, body = 0, end = 0;  // tokens of its file
};

struct SideToken {
  std::string_view text;
  bool is_word = false;
  int line = 0;
  bool is_conditional = false;  // between #if and #endif
};

// What stands outside of functions and classes in a file.
class FileScan {
 public:
  explicit FileScan(const SourceFile& file) : file_(file) {
    int line = 1;
    for (const Token& token : cuda_tokens(file.text)) {
      if (token.kind == TokenKind::directive)
        follow(token.text);
      else if (token.kind != TokenKind::space && token.kind != TokenKind::comment)
        tokens_.push_back({token.text, token.kind == TokenKind::word, line, depth_ > guards_});
      line += static_cast<int>(std::ranges::count(token.text, '\n'));
    }
    scan(0, tokens_.size());
    if (!file.is_unit && !has_guard_) variables_.clear();  // it may be included in the middle of a function
  }

  const SourceFile& file() const { return file_; }
  const std::vector<Function>& functions() const { return functions_; }
  const std::map<std::string, Place>& variables() const { return variables_; }
  const std::set<std::string>& macros() const { return macros_; }
  // Where brackets do not close, the same text would be looked through again and again.
  std::string_view text(std::size_t i) const {
    constexpr std::size_t most = 200'000'000;
    if (++looks_ > most)
      throw CompileError(file_.name + ": its brackets cannot be followed: which one is not closed?", "",
                         {.kind = DefectKind::does_not_compile});
    return i < tokens_.size() ? tokens_[i].text : std::string_view();
  }
  const SideToken& token(std::size_t i) const { return tokens_[i]; }
  std::size_t closing(std::size_t i) const {
    for (int depth = 0; i < tokens_.size(); ++i) {
      if (text(i) == "(" || text(i) == "[" || text(i) == "{") ++depth;
      if ((text(i) == ")" || text(i) == "]" || text(i) == "}") && --depth == 0) return i;
    }
    return tokens_.size();
  }

 private:
  // Macros, and what is between #if and #endif; a guard around the whole file is not counted.
  void follow(std::string_view directive) {
    const auto next_word = [&] {
      std::size_t begin = 0;
      while (begin < directive.size() && !is_word_character(directive[begin])) ++begin;
      std::size_t end = begin;
      while (end < directive.size() && is_word_character(directive[end])) ++end;
      const std::string word(directive.substr(begin, end - begin));
      directive.remove_prefix(end);
      return word;
    };
    const std::string name = next_word();
    if (name == "define") macros_.insert(next_word());
    if (name == "pragma" && directive.find("once") != std::string_view::npos) has_guard_ = true;
    if (name == "ifndef" && tokens_.empty() && depth_ == 0) {
      has_guard_ = true;
      guards_ = 1;
    }
    if (name.starts_with("if")) ++depth_;
    if (name == "endif") --depth_;
  }

  void scan(std::size_t i, std::size_t end) {
    for (std::size_t begin = i; i < end; ++i) {
      if (text(i) == "(" || text(i) == "[") {
        i = closing(i);
      } else if (text(i) == ";") {
        add_variable(begin, i);
        begin = i + 1;
      } else if (text(i) == "{") {
        const std::size_t close = closing(i);
        const bool is_linkage = i > begin && text(begin) == "extern" && text(i - 1).starts_with('"');
        if (is_linkage || text(begin) == "namespace" || text(begin + 1) == "namespace")
          scan(i + 1, close);
        else
          add_function(begin, i, close);
        const bool is_type = has_word(begin, i, "struct") || has_word(begin, i, "class") ||
                             has_word(begin, i, "=") || has_word(begin, i, "union") ||
                             has_word(begin, i, "enum");
        const bool goes_on = is_type && i > begin && text(i - 1) != ")";
        i = close;
        while (goes_on && i < end && text(i) != ";") ++i;
        begin = i + 1;
      }
    }
  }

  bool has_word(std::size_t begin, std::size_t end, std::string_view word) const {
    for (; begin < end; ++begin)
      if (text(begin) == word) return true;
    return false;
  }

  // The words before the name say on which side it is; a macro may say anything.
  Side side_of(std::size_t begin, std::size_t end) const {
    bool is_device = false, is_host = false;
    for (std::size_t i = begin; i < end; ++i) {
      is_device |= text(i) == "__device__" || text(i) == "__global__";
      is_host |= text(i) == "__host__";
      const bool is_like_a_macro =
          tokens_[i].is_word && text(i).find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
      if (is_like_a_macro || tokens_[i].is_conditional) return Side::both;
      if (text(i) == "constexpr" || text(i) == "template" || text(i) == "auto" ||
          macros_.contains(std::string(text(i))))
        return Side::both;
    }
    return is_device && is_host ? Side::both : is_device ? Side::device : Side::host;
  }

  void add_function(std::size_t begin, std::size_t body, std::size_t end) {
    for (std::size_t i = begin; i + 1 < body; ++i) {
      if (text(i) == "=" || text(i) == "struct" || text(i) == "class" || text(i) == "union" ||
          text(i) == "enum")
        return;
      if (!tokens_[i].is_word || text(i + 1) != "(" || text(i).starts_with("__") || text(i) == "alignas") {
        if (text(i) == "(") i = closing(i);
        continue;
      }
      if (std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(i),
                      tokens_.begin() + static_cast<std::ptrdiff_t>(end), [](const SideToken& token) {
                        return token.is_conditional || token.text == "__global__";
                      }))
        return;
      if (i > 0 && text(i - 1) == ":") return;  // a member that is defined outside of its class
      functions_.push_back({std::string(text(i)),
                            side_of(begin, i),
                            has_word(begin, i, "__global__"),
                            {&file_, tokens_[i].line},
                            i + 1,
                            body,
                            end});
      return;
    }
  }

  void add_variable(std::size_t begin, std::size_t end) {
    static const std::set<std::string_view> others{
        "const",        "constexpr",     "typedef", "using",     "extern",   "struct",
        "class",        "union",         "enum",    "template",  "operator", "friend",
        "thread_local", "static_assert", "auto",    "namespace", "texture",  "surface"};
    for (std::size_t i = begin; i < end; ++i) {
      if (others.contains(text(i)) || text(i).starts_with("__") || text(i) == "(" ||
          tokens_[i].is_conditional)
        return;
      if (macros_.contains(std::string(text(i)))) return;
      const bool is_name =
          i > begin && tokens_[i].is_word && (i + 1 == end || text(i + 1) == "=" || text(i + 1) == "[");
      if (!is_name) continue;
      variables_[std::string(text(i))] = {&file_, tokens_[i].line};
      return;
    }
  }

  const SourceFile& file_;
  mutable std::size_t looks_ = 0;
  int depth_ = 0, guards_ = 0;
  bool has_guard_ = false;
  std::vector<SideToken> tokens_;
  std::vector<Function> functions_;
  std::map<std::string, Place> variables_;
  std::set<std::string> macros_;
};

[[noreturn]] void refuse(const std::vector<SourceFile>& sources, const Place& place, const std::string& why) {
  throw CompileError(
      place.file->name + ", line " + std::to_string(place.line) + ": " + why, "",
      {.kind = DefectKind::does_not_compile, .line = place.file == &sources.front() ? place.line : 0});
}

bool is_type_word(std::string_view word) {
  static const std::set<std::string_view> others{"return", "else", "do",     "case", "goto",
                                                 "sizeof", "new",  "delete", "throw"};
  return !others.contains(word);
}

// Functions of the C library that a GPU does not have, and that nobody would see at work.
bool is_of_the_hosts_library(std::string_view name) {
  static const std::set<std::string_view> names{
      "rand",   "srand",   "rand_r",  "drand48",  "random",  "atoi",    "atol",   "atof",    "strtol",
      "strtof", "strtod",  "strtoul", "strtoll",  "strlen",  "strcmp",  "strcpy", "strncpy", "strcat",
      "strstr", "strncat", "strchr",  "strdup",   "sprintf", "fprintf", "sscanf", "puts",    "putchar",
      "scanf",  "fgets",   "fopen",   "snprintf", "fclose",  "fread",   "fwrite", "getenv",  "time",
      "qsort",  "bsearch", "sleep",   "usleep",   "exit",    "system",  "getchar"};
  return names.contains(name);
}

class SideCheck {
 public:
  explicit SideCheck(const std::vector<SourceFile>& sources) : sources_(sources) {
    for (const SourceFile& source : sources) scans_.emplace_back(source);
    for (const FileScan& scan : scans_) {
      macros_.insert(scan.macros().begin(), scan.macros().end());
      for (const Function& function : scan.functions()) named_[function.name].push_back(&function);
      variables_.insert(scan.variables().begin(), scan.variables().end());
    }
  }

  void check() const {
    for (const FileScan& scan : scans_)
      for (const Function& function : scan.functions()) {
        if (function.is_kernel && !has_managed_memory()) check_parameters(scan, function);
        if (function.side != Side::both) check_body(scan, function);
      }
  }

 private:
  // None where a function of that name can be called from both sides, or nobody knows.
  const Function* only_on(Side side, const std::string& name) const {
    static const std::set<std::string_view> also_of_cuda{"min", "max",    "abs",    "swap", "clamp",
                                                         "pow", "printf", "malloc", "free"};
    const auto found = named_.find(name);
    if (also_of_cuda.contains(name)) return nullptr;
    if (found == named_.end() || macros_.contains(name)) return nullptr;
    const bool are_all = std::ranges::all_of(
        found->second, [&](const Function* one) { return one->side == side && !one->is_kernel; });
    return are_all ? found->second.front() : nullptr;
  }

  // The host's memory that kernels can reach, even by a reference.
  bool has_managed_memory() const {
    return std::ranges::any_of(sources_, [](const SourceFile& source) {
      return source.text.find("__managed__") != std::string::npos ||
             source.text.find("cudaMallocManaged") != std::string::npos;
    });
  }

  void check_parameters(const FileScan& scan, const Function& kernel) const {
    const std::size_t end = scan.closing(kernel.parameters);
    for (std::size_t i = kernel.parameters + 1; i < end; ++i) {
      if (scan.text(i) == "(" || scan.text(i) == "[") i = scan.closing(i);
      if (scan.text(i) != "&") continue;
      refuse(sources_, {&scan.file(), scan.token(i).line},
             "the kernel " + kernel.name +
                 " has a parameter by reference: it would refer to a variable of the host, "
                 "which a GPU cannot reach; pass a value, or a pointer to the device's memory");
    }
  }

  // Code for both sides in one body, as the preprocessor or lambdas divide it, is left alone.
  void check_body(const FileScan& scan, const Function& function) const {
    std::set<std::string_view> own;  // names that the function declares itself
    int depth = 0;                   // of parentheses
    for (std::size_t i = function.parameters; i < function.end; ++i) {
      if (scan.text(i) == "(") ++depth;
      if (scan.text(i) == ")") --depth;
      if (i > function.body && (scan.text(i) == "__device__" || scan.text(i) == "__host__")) return;
      const std::string_view before = scan.text(i - 1);
      const bool is_address = before == "&" && i > 1 &&
                              (scan.text(i - 2) == "(" || scan.text(i - 2) == "," || scan.text(i - 2) == "=");
      const bool is_after_type = (scan.token(i - 1).is_word && is_type_word(before)) || before == "*" ||
                                 (before == "&" && !is_address) || before == ">" || before == ",";
      const bool is_declared = is_after_type && scan.text(i + 1) != "." && scan.text(i + 1) != "(";
      const bool is_local = i < function.body || (scan.token(i - 1).is_word && is_type_word(before)) ||
                            (is_declared && (before != "," || depth == 0));
      if (scan.token(i).is_word && is_local) own.insert(scan.text(i));
    }
    const bool is_device = function.side == Side::device;
    for (std::size_t i = function.body; i < function.end; ++i) {
      const std::string name(scan.text(i));
      const std::string_view before = scan.text(i - 1);
      if (!scan.token(i).is_word || own.contains(name) || before == "." || before == ">" || before == ":")
        continue;
      const std::string who =
          (function.is_kernel ? "the kernel " : "the __device__ function ") + function.name;
      if (scan.text(i + 1) == "(") {
        const Function* const called = only_on(is_device ? Side::host : Side::device, name);
        if (is_device && is_of_the_hosts_library(name) && !named_.contains(name) && !macros_.contains(name))
          refuse(sources_, {&scan.file(), scan.token(i).line},
                 name + "() is a function of the host's library, and " + who +
                     " calls it: a GPU does not have it");
        if (called && is_device)
          refuse(sources_, called->place,
                 name + "() is a function of the host, and " + who + " calls it in line " +
                     std::to_string(scan.token(i).line) +
                     ": write __device__ before it, or __host__ __device__ for both sides");
        if (called)
          refuse(sources_, {&scan.file(), scan.token(i).line},
                 name + "() is a __device__ function, and " + function.name +
                     "() of the host calls it: write __host__ __device__ before it in line " +
                     std::to_string(called->place.line));
      } else if (const auto variable = variables_.find(name);
                 is_device && variable != variables_.end() && !macros_.contains(name)) {
        refuse(sources_, {&scan.file(), scan.token(i).line},
               who + " uses " + name + ", a variable of the host (line " +
                   std::to_string(variable->second.line) +
                   "): pass it as an argument, or declare it __device__ or __constant__");
      }
    }
  }

  const std::vector<SourceFile>& sources_;
  std::vector<FileScan> scans_;
  std::map<std::string, std::vector<const Function*>> named_;
  std::map<std::string, Place> variables_;
  std::set<std::string> macros_;
};

}  // namespace

void check_sides(const std::vector<SourceFile>& sources) {
  SideCheck(sources).check();
}

}  // namespace gpulab::source
