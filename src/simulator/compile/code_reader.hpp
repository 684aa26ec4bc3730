#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cuda_text.hpp"
#include "simulator/compile/device_code.hpp"

namespace gpulab::simulator::compile {

struct CodeToken {
  TokenKind kind;
  std::string_view text;
  int line;  // of the text, from 1
};

// A kernel file's tokens without blanks and comments.
class CodeText {
 public:
  explicit CodeText(std::string text);
  CodeText(const CodeText&) = delete;
  CodeText& operator=(const CodeText&) = delete;

  std::size_t size() const { return tokens_.size(); }
  const CodeToken& operator[](std::size_t i) const { return tokens_[i]; }
  // Empty behind the end.
  std::string_view text(std::size_t i) const { return i < size() ? tokens_[i].text : std::string_view(); }

 private:
  std::string text_;
  std::vector<CodeToken> tokens_;
};

// Whether asm volatile("" ::: "memory") or its like begins there, which keeps a compiler from moving
// accesses, and is nothing else.
template <class Code>
bool is_empty_assembly(const Code& code, std::size_t at) {
  do ++at;
  while (code.text(at) == "volatile" || code.text(at) == "__volatile__" || code.text(at) == "inline");
  if (code.text(at) != "(" || code.text(at + 1) != "\"\"" || code.text(at + 2).starts_with('"')) return false;
  at += 2;
  while (code.text(at) == ":" || code.text(at) == "," || code.text(at).starts_with('"')) ++at;
  return code.text(at) == ")";  // operands would be written where nobody sees it
}

// The first declaration, at the level of namespaces or of a class, that is no device code: a function without
// __device__ or __global__, a variable without __device__, __constant__ or const.
std::optional<Refusal> refused_declaration(const CodeText& code);

}  // namespace gpulab::simulator::compile
