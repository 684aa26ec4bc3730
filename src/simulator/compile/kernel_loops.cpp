#include "simulator/compile/kernel_loops.hpp"

#include <algorithm>
#include <utility>

#include "source/device_code.hpp"
#include "source/statements.hpp"

// Kernels that never wait profit from a loop over the threads of a block. A loop for a kernel that does wait
// only costs time, since a thread that waits ends the loop.

namespace gpulab::simulator::compile {
namespace {

using source::Code;

bool waits_by_itself(std::string_view word) {
  return word.starts_with("__sync") || word.ends_with("_sync") || word == "sync" || word == "__activemask" ||
         word == "__nanosleep" || word == "atomicCAS" || word == "coalesced_threads";
}

// Reads the functions of the file by name. A class counts as one function, with all its members.
class FunctionReader {
 public:
  explicit FunctionReader(const Code& code) : code_(code) {}

  FileFunctions functions() {
    while (at_ < code_.size()) read_declaration();
    return std::move(found_);
  }

 private:
  void read_declaration() {
    std::string_view name;
    std::size_t global = 0, parameters = 0;
    bool has_parameters = false, is_kernel = false, is_template = false, is_group = false;
    for (; at_ < code_.size(); ++at_) {
      const source::CodeToken& token = code_[at_];
      if (token.text == ";" || token.text == "{" || token.text == "}") break;
      if (token.text == "(") {
        // The arguments of attributes come before the name.
        const bool begins_parameters = !has_parameters && !name.starts_with("__") && name != "alignas";
        if (begins_parameters) parameters = at_;
        has_parameters |= begins_parameters;
        at_ = code_.matching(at_);
        continue;
      }
      if (token.kind != source::TokenKind::word && token.kind != source::TokenKind::string) continue;
      if (token.text == "__global__") {
        is_kernel = true;
        global = at_;
      }
      is_template = is_template || token.text == "template";
      is_group =
          is_group || token.text == "namespace" || token.kind == source::TokenKind::string;  // of extern "C"
      if (!has_parameters) name = token.text;
    }
    const bool has_body = code_.text(at_) == "{";
    if (has_body && is_group && !has_parameters) {
      ++open_groups_;
    } else if (has_body) {
      const bool is_plain_kernel = is_kernel && open_groups_ == 0 && !is_template && has_parameters;
      FileFunction function{is_plain_kernel, global, parameters, at_, {}};
      const std::size_t begin = std::exchange(at_, code_.matching(at_));
      for (std::size_t i = begin; i < at_; ++i)
        if (code_[i].kind == source::TokenKind::word) function.words.insert(code_[i].text);
      found_.emplace(name, std::move(function));
    } else if (code_.text(at_) == "}" && open_groups_ > 0) {
      --open_groups_;
    }
    ++at_;
  }

  const Code& code_;
  std::size_t at_ = 0;
  int open_groups_ = 0;  // namespaces and extern "C"
  FileFunctions found_;
};

// Words for what only the scheduler can do, or for what a second copy of the kernel in the file would break.
constexpr std::string_view refused_words =
    " volatile goto static asm __asm__ __asm new delete this operator uintptr_t intptr_t ";
// Functions of CUDA that need no other thread. Those of the file are read.
constexpr std::string_view known_calls =
    " abs acosf asinf atan2f atanf cbrtf ceil ceilf cos cosf exp exp2f expf fabs fabsf floor floorf fma fmaf fmax fmaxf "
    "fmin fminf fmod fmodf hypotf isinf isnan ldexpf log log2f log10f logf max min pow powf rintf roundf rsqrtf sin sinf "
    "sincosf sqrt sqrtf tanf tanhf truncf __expf __logf __sinf __cosf __sincosf __powf __fdividef __fmaf_rn __fadd_rn "
    "__fmul_rn __ldg __popc __clz __ffs make_float2 make_float3 make_float4 make_int2 make_int4 sizeof alignas __align__ decltype "
    "alignof static_assert ";
constexpr std::string_view casts = " static_cast reinterpret_cast const_cast ";

// Returns whether the atomic is a statement, so that no thread learns what the word held.
bool is_statement(const Code& code, std::size_t at) {
  if (code.text(code.matching(at + 1) + 1) != ";") return false;
  const std::string_view before = code.text(at - 1);
  if (before != ")") return before == ";" || before == "{" || before == "}" || before == "else";
  return is_in(" if for while ", code.text(code.matching(at - 1) - 1));
}

// Judges whether a thread can run to its end, or to a barrier in the kernel's body, without the scheduler.
class IndependenceJudge {
 public:
  IndependenceJudge(const Code& code, const FileFunctions& functions) : code_(code), functions_(functions) {}

  bool is_independent(std::size_t body, bool may_have_barriers) {
    const std::size_t end = code_.matching(body);
    for (std::size_t i = body + 1; i < end; ++i) {
      if (may_have_barriers && is_barrier(code_, i))
        i += 3;
      else if (code_.is_word(i) ? !is_independent_word(i, code_.text(i)) : !is_plain_symbol(i))
        return false;
    }
    return end < code_.size();
  }

  // Returns whether a function that is called reads threadIdx.
  bool needs_index() const { return needs_index_; }

 private:
  // Returns whether the symbol begins no string, lambda, attribute, launch, or call through a pointer.
  bool is_plain_symbol(std::size_t i) const {
    const std::string_view text = code_.text(i), before = code_.text(i - 1);
    if (code_[i].kind == source::TokenKind::string) return false;
    if (text == "[") return code_.is_word(i - 1) || before == "]" || before == ")";
    if (text != "(") return !source::is_operation(code_, i, "<<<");
    return before != "]" && !(before == ")" && code_.text(code_.matching(i - 1) + 1) == "*");
  }

  bool is_independent_word(std::size_t i, std::string_view word) {
    if (is_in(refused_words, word)) return false;
    if (const auto [first, last] = functions_.equal_range(word); first != last) {
      if (!judged_.insert(word).second) return true;
      return std::all_of(first, last, [&](const auto& entry) {
        const FileFunction& function = entry.second;
        needs_index_ = needs_index_ || function.words.contains("threadIdx");
        return !function.is_kernel && is_independent(function.body, /*may_have_barriers=*/false);
      });
    }
    const bool is_template = code_.text(i + 1) == "<" && code_.text(code_.matching(i + 1) + 1) == "(";
    if (is_template) return is_in(casts, word);
    if (code_.text(i + 1) != "(") return true;
    if (word.starts_with("atomic")) return word != "atomicCAS" && is_statement(code_, i);
    return is_in(known_calls, word) || is_in(number_types, word) || is_in(control_words, word);
  }

  const Code& code_;
  const FileFunctions& functions_;
  std::set<std::string_view> judged_;  // functions
  bool needs_index_ = false;
};

}  // namespace

KernelLoops loops_for(const Code& code, const std::string& file) {
  FunctionReader reader(code);
  const FileFunctions functions = reader.functions();
  std::set<std::string_view> waiting;
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const auto& [name, function] : functions)
      if (std::ranges::any_of(function.words, [&](std::string_view word) {
            return waits_by_itself(word) || waiting.contains(word);
          }))
        has_grown = waiting.insert(name).second || has_grown;
  }
  // With macros, only a compiler knows what a second copy would mean.
  const bool has_macros = source::needs_preprocessing(code);
  KernelLoops loops;
  std::string choices;
  for (const auto& [name, function] : functions) {
    if (!function.is_kernel || functions.count(name) > 1) continue;
    IndependenceJudge judge(code, functions);
    const bool may_divide = !has_macros && judge.is_independent(function.body, /*may_have_barriers=*/true);
    const std::string block =
        may_divide ? block_function(code, file, name, function, judge.needs_index()) : "";
    if (!block.empty()) loops.replaced.push_back(code.begin_of(function.begin));
    if (!block.empty() || !waiting.contains(name))
      choices += (block.empty() ? "  GPULAB_LOOP_OF(" : "  GPULAB_BLOCK_OF(") + std::string(name) + ")\n";
    loops.text += block;
  }
  if (choices.empty()) return {};
  std::ranges::sort(loops.replaced);
  loops.text =
      "\n\n#undef if\n#undef return\n#undef void\n#undef threadIdx\n" + loops.text +
      "#line 1 \"prelude.cuh\"\nvoid* gpulab_loop_of(void* gpulab_kernel, int* gpulab_runs_barriers) {\n" +
      choices + "  return 0;\n}\n";
  return loops;
}

std::string KernelLoops::added_to(std::string file) const {
  for (auto offset = replaced.rbegin(); offset != replaced.rend(); ++offset)
    file.insert(*offset, "GPULAB_RARELY_RUN ");
  return file + text;
}

}  // namespace gpulab::simulator::compile
