#include "program/object_sides.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "device/symbols.hpp"
#include "lesson/finding.hpp"
#include "sandbox/sandbox.hpp"
#include "source/cuda_text.hpp"
#include "source/launch_text.hpp"
#include "source/statements.hpp"

namespace gpulab::program {
namespace {

using device::ElfSymbol;

// A line of the program's files in the compiled code. Inlined functions give an address several.
struct CodeLine {
  std::string function;  // as addr2line gives it: mangled, or the bare name of a local symbol
  std::size_t source = 0;
  int line = 0;
};

// Returns a function's name without its parameters and the arguments of templates, which may name other
// functions: "void ns::each" for "void ns::each<run(int)::{lambda(int)#1}>(int)".
std::string name_without_arguments(std::string_view whole) {
  constexpr std::string_view anonymous = "(anonymous namespace)", overloaded = "operator";
  std::string name;
  for (int depth = 0; !whole.empty(); whole.remove_prefix(1)) {
    if (depth == 0 && whole.starts_with(overloaded)) return name.append(overloaded);
    if (whole.starts_with(anonymous)) whole.remove_prefix(anonymous.size());
    if (depth == 0 && whole.starts_with('(')) return name;
    if (whole.starts_with('<')) ++depth;
    if (depth == 0) name += whole.substr(0, 1);
    if (whole.starts_with('>')) --depth;
  }
  return name;
}

class ObjectCheck {
 public:
  ObjectCheck(const std::filesystem::path& object, const std::vector<source::SourceFile>& sources)
      : object_(object), sources_(sources), symbols_(device::elf_symbols(object)) {
    for (const source::SourceFile& source : sources)
      for (const source::CodeToken& token : source.code.tokens())
        if (token.kind == source::TokenKind::word) words_.insert(token.text);
    for (const ElfSymbol& symbol : symbols_)
      if (symbol.kind == ElfSymbol::Kind::function && symbol.bytes > 0 && !reached_.contains(symbol.value) &&
          symbol.name.find("gpulab_run_thread") != std::string::npos)
        reach(symbol);
  }

  void check() const {
    check_functions();
    check_variables();
  }

 private:
  // Adds a function, and those that its code refers to.
  void reach(const ElfSymbol& first) {
    if (references_.empty())
      for (const auto& [from, to] : device::elf_references(object_)) references_.emplace(from, to);
    std::vector<const ElfSymbol*> left{&first};
    while (!left.empty()) {
      const ElfSymbol& function = *left.back();
      left.pop_back();
      if (!reached_.emplace(function.value, function.bytes).second) continue;
      const auto end = references_.lower_bound(function.value + function.bytes);
      for (auto at = references_.lower_bound(function.value); at != end; ++at)
        if (const ElfSymbol* const next = symbol_at(at->second); next && is_followed(*next))
          left.push_back(next);
    }
  }

  // Returns whether device code that refers to the function calls it. It refers to other kernels to launch
  // them.
  static bool is_followed(const ElfSymbol& function) {
    return function.kind == ElfSymbol::Kind::function && !function.exported;
  }

  const ElfSymbol* symbol_at(std::size_t address) const {
    const auto found = std::ranges::find_if(symbols_, [&](const ElfSymbol& symbol) {
      const bool has_address =
          symbol.kind == ElfSymbol::Kind::function || symbol.kind == ElfSymbol::Kind::object;
      return has_address && address - symbol.value < symbol.bytes;
    });
    return found == symbols_.end() ? nullptr : &*found;
  }

  bool is_reached(std::size_t address) const {
    const auto after = reached_.upper_bound(address);
    return after != reached_.begin() && address - std::prev(after)->first < std::prev(after)->second;
  }

  // Returns the source whose path in the build's folder ends a path: "3/sum.cuh".
  std::optional<std::size_t> source_of(const std::filesystem::path& path) const {
    const std::string whole = "/" + path.lexically_normal().string();
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (whole.ends_with("/" + source::build_path_of(sources_, i))) return i;
    return std::nullopt;
  }

  // Returns the program's lines at an address, the innermost first.
  std::vector<CodeLine> lines_at(std::size_t address) const {
    const auto found =
        sandbox::run_command({"addr2line", "-f", "-i", "-e", object_.string(), fmt::format("{:#x}", address)},
                             "/", {.starts_others = false});
    std::vector<CodeLine> lines;
    std::istringstream answers(found.exit_status == 0 ? found.output : "");
    for (std::string function, place; std::getline(answers, function) && std::getline(answers, place);) {
      const std::size_t colon = std::min(place.rfind(':'), place.size());
      const std::optional<int> line =
          source::Scanner(std::string_view(place).substr(std::min(colon + 1, place.size()))).take_number();
      if (const auto source = source_of(place.substr(0, colon)); source && line)
        lines.push_back({function, *source, *line});
    }
    return lines;
  }

  // Returns the program's name for a function of the code: "the kernel scale".
  std::string name_of(const CodeLine& place) const {
    const source::Code& code = sources_[place.source].code;
    std::string name = "device code";
    for (std::size_t i = 0; i + 1 < code.size() && code[i].line <= place.line; ++i) {
      if (!is_one_of(code.text(i), {"__global__", "__device__"})) continue;
      const std::size_t begin = source::start_of_parameters(code, i), end = code.after_bracket(begin);
      if (begin >= code.size() || end >= code.size()) continue;
      std::size_t body = end;
      while (body < code.size() && !is_one_of(code.text(body), {"{", ";"})) ++body;
      if (code.text(body) != "{" || code[std::min(code.matching(body), code.size() - 1)].line < place.line)
        continue;
      const std::string own_name(code.text(begin - 1));
      name = is_one_of(own_name, {"__device__", "__host__"}) ? "a __device__ lambda"
             : code.text(i) == "__global__"                  ? "the kernel " + own_name
                                                             : "the __device__ function " + own_name;
    }
    return name;
  }

  // Returns whether the host alone has the variable: kernels have variables in sections of their own, copies
  // of constants, and what their functions declare static.
  bool is_of_host(const ElfSymbol& symbol) const {
    constexpr std::size_t largest_constant = 8;  // which compilers put into the code
    const bool is_constant = !symbol.section.starts_with(".data") && !symbol.section.starts_with(".bss");
    const std::string name = last_name(symbol);
    const auto has_mark = [&](const ElfSymbol& other) {
      return other.name.find("gpulab_template_") != std::string::npos &&
             other.name.find("_" + name.substr(0, name.find('<'))) != std::string::npos;
    };
    return symbol.kind == ElfSymbol::Kind::object && !symbol.section.starts_with("gpulab_") &&
           !symbol.name.starts_with("_ZZ") && !symbol.name.starts_with("_ZT") &&
           !symbol.name.starts_with("_ZG") && symbol.name.find("gpulab_") == std::string::npos &&
           words_.contains(name.substr(0, name.find('<'))) &&
           (!is_constant || symbol.bytes > largest_constant) &&
           symbol.section.find(".rel.ro") == std::string::npos && std::ranges::none_of(symbols_, has_mark);
  }

  static std::string last_name(const ElfSymbol& symbol) {
    const std::string name = device::demangled_name(symbol.name);
    const std::size_t colon = name.substr(0, name.find('<')).rfind("::");
    return colon == std::string::npos ? name : name.substr(colon + 2);
  }

  void check_variables() const {
    for (const auto& [from, to] : references_) {
      if (!is_reached(from)) continue;
      const ElfSymbol* const variable = symbol_at(to);
      if (!variable || !is_of_host(*variable)) continue;
      constexpr std::size_t near = 32;
      std::vector<CodeLine> lines;  // at the reference or, for an operation of the prelude, soon after it
      for (std::size_t at = from; at < from + near && lines.empty(); at += 4) lines = lines_at(at);
      if (lines.empty()) continue;
      const std::string name = last_name(*variable);
      source::refuse(
          sources_, lines.front().source, lines.front().line,
          fmt::format("{} uses {}, a variable of the host{}: pass it as an argument, or declare it "
                      "__device__ or __constant__",
                      name_of(lines.front()), name, place_of_declaration(name, lines.front().source)));
    }
  }

  // Returns " (line 3)" for the first line that declares the name.
  std::string place_of_declaration(const std::string& name, std::size_t user) const {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const source::Code& code = sources_[i].code;
      for (std::size_t at = 1; at < code.size(); ++at) {
        constexpr std::string_view ends = "=;[{";
        if (code.text(at) == name && (code.is_word(at - 1) || code.text(at - 1) == "*") &&
            ends.find(code.text(at + 1)) != std::string_view::npos)
          return fmt::format(" (line {}{})", code[at].line, i == user ? "" : " of " + sources_[i].name);
      }
    }
    return "";
  }

  void check_functions() const {
    if (reached_.empty()) return;
    const std::vector<source::HostFunction> of_host = source::host_functions(sources_);
    const auto listed = sandbox::run_command({"readelf", "-W", "--debug-dump=decodedline", object_.string()},
                                             "/", {.starts_others = false});
    std::optional<std::size_t> source;
    std::set<std::pair<std::size_t, int>> known;
    for (const std::string& row : lines_of(listed.exit_status == 0 ? listed.output : "")) {
      if (row.ends_with(':')) source = source_of(row.substr(0, row.size() - 1));
      std::istringstream words(row);
      std::string file, address;
      int line = 0;
      if (!source || !(words >> file >> line >> address) || !address.starts_with("0x")) continue;
      const std::size_t at = std::stoull(address, nullptr, 16);
      if (!is_reached(at)) continue;
      for (const source::HostFunction& function : of_host)
        if (function.file == sources_[*source].name && function.lines.has(line)) check_call(function, at);
    }
  }

  // Refuses a function of the host if it is the innermost one at an address of device code.
  void check_call(const source::HostFunction& function, std::size_t address) const {
    std::vector<CodeLine> lines = lines_at(address);
    if (lines.empty() || !function.lines.has(lines.front().line)) return;
    const std::string& symbol = lines.front().function;
    if (symbol.starts_with("_ZZ") || symbol == "operator()") return;  // of a lambda inside the function
    const std::string whole = device::demangled_name(symbol);
    if (whole.ends_with(function.name + " const&)") || whole.ends_with(function.name + "&&)"))
      return;  // a copy that the compiler makes, with the line of the structure
    const std::string name = name_without_arguments(whole);
    if (name != function.name && !name.ends_with(":" + function.name) && !name.ends_with(" " + function.name))
      return;
    if (const ElfSymbol* const called = symbol_at(address); lines.size() < 2 && called)
      for (const auto& [from, to] : references_)
        if (to == called->value && is_reached(from) && lines.size() < 2)
          std::ranges::copy(lines_at(from), std::back_inserter(lines));
    if (lines.size() < 2) return;
    source::refuse(
        sources_, lines.front().source, function.lines.first,
        fmt::format("{}() is a function of the host, and {} calls it in line {}{}: write __device__ "
                    "before it, or __host__ __device__ for both sides",
                    function.name, name_of(lines[1]), lines[1].line,
                    lines[1].source == lines[0].source ? "" : " of " + sources_[lines[1].source].name));
  }

  const std::filesystem::path object_;
  const std::vector<source::SourceFile>& sources_;
  const std::vector<ElfSymbol> symbols_;
  std::set<std::string_view> words_;
  std::map<std::size_t, std::size_t> references_, reached_;  // from and to; begin and bytes of functions
};

}  // namespace

void check_sides_of_object(const std::filesystem::path& object,
                           const std::vector<source::SourceFile>& sources) {
  ObjectCheck(object, sources).check();
}

}  // namespace gpulab::program
