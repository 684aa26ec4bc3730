#include <algorithm>
#include <map>
#include <set>

#include "simulator/compile/code_reader.hpp"
#include "simulator/compile/compiler.hpp"

// Which kernels of a file are worth a loop of their own over the threads of a block: those that wait for
// nobody. A mistake costs time alone, since a thread that does wait ends the loop.

namespace gpulab::simulator::compile {
namespace {

struct Function {
  bool is_kernel = false;  // that its name alone stands for
  std::set<std::string_view> words;
};

bool waits_by_itself(std::string_view word) {
  return word.starts_with("__sync") || word.ends_with("_sync") || word == "sync" || word == "__activemask" ||
         word == "__nanosleep" || word == "atomicCAS" || word == "coalesced_threads";
}

// The functions of the file by name; a class counts as one, with all that it does.
class FunctionReader {
 public:
  explicit FunctionReader(const std::string& text) : code_(text) {}

  std::multimap<std::string_view, Function> functions() {
    while (at_ < code_.size()) read_declaration();
    return std::move(found_);
  }

 private:
  void read_declaration() {
    std::string_view name;
    bool has_parameters = false, is_kernel = false, is_alone = groups_ == 0, is_group = false;
    for (; at_ < code_.size(); ++at_) {
      const CodeToken& token = code_[at_];
      if (token.text == ";" || token.text == "{" || token.text == "}") break;
      if (token.text == "(") {
        // An attribute's argument stands before the name.
        has_parameters = has_parameters || !(name.starts_with("__") || name == "alignas");
        skip_brackets();
        continue;
      }
      if (token.kind != TokenKind::word && token.kind != TokenKind::string) continue;
      is_kernel = is_kernel || token.text == "__global__";
      is_alone = is_alone && token.text != "template";
      is_group = is_group || token.text == "namespace" || token.kind == TokenKind::string;  // extern "C"
      if (!has_parameters) name = token.text;
    }
    const bool has_body = code_.text(at_) == "{";
    if (has_body && is_group && !has_parameters) {
      ++groups_;
    } else if (has_body) {
      Function function{is_kernel && is_alone && has_parameters, {}};
      const std::size_t begin = at_;
      skip_brackets();
      for (std::size_t i = begin; i < at_; ++i)
        if (code_[i].kind == TokenKind::word) function.words.insert(code_[i].text);
      found_.emplace(name, std::move(function));
    } else if (code_.text(at_) == "}" && groups_ > 0) {
      --groups_;
    }
    ++at_;
  }

  // From an opening bracket to the closing one.
  void skip_brackets() {
    int depth = 0;
    for (; at_ < code_.size(); ++at_) {
      const std::string_view text = code_.text(at_);
      if (text == "(" || text == "{") ++depth;
      if ((text == ")" || text == "}") && --depth == 0) return;
    }
  }

  CodeText code_;
  std::size_t at_ = 0;
  int groups_ = 0;
  std::multimap<std::string_view, Function> found_;
};

}  // namespace

std::string loops_for(const std::string& text) {
  FunctionReader reader(text);
  const std::multimap<std::string_view, Function> functions = reader.functions();
  std::set<std::string_view> waiting;
  for (std::size_t before = waiting.size() + 1; before != waiting.size();) {
    before = waiting.size();
    for (const auto& [name, function] : functions)
      if (std::ranges::any_of(function.words, [&](std::string_view word) {
            return waits_by_itself(word) || waiting.contains(word);
          }))
        waiting.insert(name);
  }
  std::string choices;
  for (const auto& [name, function] : functions)
    if (function.is_kernel && functions.count(name) == 1 && !waiting.contains(name))
      choices += "  GPULAB_LOOP_OF(" + std::string(name) + ")\n";
  if (choices.empty()) return "";
  return "#undef if\n#undef return\n#undef void\nvoid* gpulab_loop_of(void* gpulab_kernel) {\n" + choices +
         "  return 0;\n}\n";
}

}  // namespace gpulab::simulator::compile
