#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "source/inline_ptx.hpp"

namespace gpulab::source {

std::string variable_of_operand(std::size_t number) {
  return "gpulab_operand_" + std::to_string(number);
}

namespace {

// C++ types of PTX's types.
const std::map<std::string_view, const char*> cpp_types{{"b8", "unsigned char"},
                                                        {"u8", "unsigned char"},
                                                        {"s8", "signed char"},
                                                        {"b16", "unsigned short"},
                                                        {"u16", "unsigned short"},
                                                        {"s16", "short"},
                                                        {"b32", "unsigned"},
                                                        {"u32", "unsigned"},
                                                        {"s32", "int"},
                                                        {"b64", "unsigned long long"},
                                                        {"u64", "unsigned long long"},
                                                        {"s64", "long long"},
                                                        {"f32", "float"},
                                                        {"f64", "double"},
                                                        {"pred", "bool"}};

// C++ for an instruction's result, which operand 0 gets: $1 is operand 1 in the instruction's type, #1 is
// operand 1 as a u32, and @1 is the register of operand 1.
const std::map<std::string_view, const char*> instruction_values{
    {"mov", "$1"},
    {"add", "$1 + $2"},
    {"sub", "$1 - $2"},
    {"mul", "$1 * $2"},
    {"mul.lo", "$1 * $2"},
    {"mul.hi", "gpulab_high_product($1, $2)"},
    {"mad.lo", "$1 * $2 + $3"},
    {"fma", "gpulab_fused($1, $2, $3)"},
    {"div", "$1 / $2"},
    {"rem", "$1 % $2"},
    {"min", "gpulab_smaller($1, $2)"},
    {"max", "gpulab_larger($1, $2)"},
    {"neg", "-$1"},
    {"abs", "gpulab_absolute($1)"},
    {"and", "$1 & $2"},
    {"or", "$1 | $2"},
    {"xor", "$1 ^ $2"},
    {"not", "~$1"},
    {"shl", "gpulab_shifted_left($1, #2)"},
    {"shr", "gpulab_shifted_right($1, #2)"},
    {"popc", "__builtin_popcountll($1)"},
    {"brev", "gpulab_reversed($1)"},
    {"clz", "gpulab_leading_zeros($1)"},
    {"bfind", "gpulab_highest_bit($1)"},
    {"bfe", "gpulab_extracted($1, #2, #3)"},
    {"bfi", "gpulab_inserted($1, $2, #3, #4)"},
    {"prmt", "gpulab_permuted($1, $2, $3)"},
    {"lop3", "gpulab_looked_up($1, $2, $3, $4)"},
    {"shf.l", "gpulab_funnel_left($1, $2, $3)"},
    {"shf.r", "gpulab_funnel_right($1, $2, $3)"},
    {"sad", "($1 < $2 ? $2 - $1 : $1 - $2) + $3"},
    {"ex2", "__builtin_exp2f($1)"},
    {"lg2", "__builtin_log2f($1)"},
    {"rcp", "1 / $1"},
    {"sqrt", "__builtin_sqrt($1)"},
    {"rsqrt", "1 / __builtin_sqrt($1)"},
    {"sin", "__builtin_sinf($1)"},
    {"cos", "__builtin_cosf($1)"},
    {"tanh", "__builtin_tanhf($1)"},
    {"activemask", "__activemask()"},
    {"vote.ballot", "__ballot_sync(#2, gpulab_as<bool>(@1))"},
    {"vote.any", "__any_sync(#2, gpulab_as<bool>(@1))"},
    {"vote.all", "__all_sync(#2, gpulab_as<bool>(@1))"},
};

const std::map<std::string_view, const char*> comparisons{
    {"eq", "=="}, {"ne", "!="}, {"lt", "<"},  {"le", "<="}, {"gt", ">"},
    {"ge", ">="}, {"lo", "<"},  {"ls", "<="}, {"hi", ">"},  {"hs", ">="}};

const std::map<std::string_view, const char*> atomics{
    {"add", "atomicAdd"}, {"min", "atomicMin"}, {"max", "atomicMax"},   {"and", "atomicAnd"},
    {"or", "atomicOr"},   {"xor", "atomicXor"}, {"exch", "atomicExch"}, {"cas", "atomicCAS"},
    {"inc", "atomicInc"}, {"dec", "atomicDec"}};

const std::map<std::string_view, const char*> special_registers{
    {"laneid", "gpulab_lane()"},
    {"warpid", "gpulab_thread_number() / warpSize"},
    {"smid", "gpulab_multiprocessor()"},
    {"nsmid", "8"},
    {"gridid", "0"},
    {"clock", "clock64()"},
    {"clock64", "clock64()"},
    {"globaltimer", "clock64()"},
    {"globaltimer_lo", "clock64()"},
    {"lanemask_eq", "1u << gpulab_lane()"},
    {"lanemask_lt", "(1u << gpulab_lane()) - 1"},
    {"lanemask_le", "(2u << gpulab_lane()) - 1"},
    {"lanemask_gt", "~((2u << gpulab_lane()) - 1)"},
    {"lanemask_ge", "~((1u << gpulab_lane()) - 1)"}};

// Returns whether a part of an instruction's name changes neither its result on the simulator nor its
// operands: rounding to nearest, precision, scopes, memory spaces, cache hints, orders without a fence.
bool is_without_effect(std::string_view part) {
  static const std::set<std::string_view> all{"rn",      "ftz",  "approx",      "full",    "global", "gpu",
                                              "sys",     "ca",   "cg",          "cs",      "lu",     "cv",
                                              "wb",      "wt",   "nc",          "sync",    "uni",    "cta",
                                              "relaxed", "wrap", "no_allocate", "aligned", "weak"};
  return all.contains(part) || part.starts_with("L1::") || part.starts_with("L2::");
}

// Translates the instructions of one asm statement.
class Translator {
 public:
  explicit Translator(std::size_t operands) {
    for (std::size_t i = 0; i < operands; ++i) variables_[std::to_string(i)] = variable_of_operand(i);
  }

  std::string translated(const std::string& ptx) {
    for (std::size_t at = 0; at < ptx.size();) {
      if (std::isspace(static_cast<unsigned char>(ptx[at])) || ptx[at] == ';') {
        ++at;
      } else if (ptx[at] == '{' || ptx[at] == '}') {
        cpp_ += ptx[at++];
      } else {
        const std::size_t end = std::min(ptx.find(';', at), ptx.size());
        const std::string text = trimmed(ptx.substr(at, end - at));
        try {
          add_statement(text);
        } catch (const NotTranslated& missing) {
          throw missing.what.empty() ? NotTranslated{missing_instruction(text)} : missing;
        }
        at = end;
      }
    }
    // A host compiler would accept asm("") with operands, too, but no hook would see that it sets them.
    if (parts_.empty()) throw NotTranslated();
    return cpp_;
  }

 private:
  void add_statement(std::string text) {
    if (text.starts_with(".reg")) return declare(text);
    if (text.starts_with("@")) {
      const std::size_t end = text.find_first_of(" \t");
      if (end == std::string::npos) throw NotTranslated();
      const bool is_negated = text[1] == '!';
      cpp_ += std::string("if (") + (is_negated ? "!" : "") +
              value(text.substr(is_negated ? 2 : 1, end - (is_negated ? 2 : 1)), "bool") + ") ";
      text = trimmed(text.substr(end));
    }
    const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
    parts_ = ptx_parts(text.substr(0, end), '.');
    const std::string rest = trimmed(text.substr(end));
    operands_ = rest.empty() ? std::vector<std::string>{} : ptx_parts(rest, ',');
    add_instruction();
  }

  static std::string missing_instruction(std::string text) {
    if (text.starts_with('@')) text = trimmed(text.substr(std::min(text.find_first_of(" \t"), text.size())));
    const std::string name = text.substr(0, text.find_first_of(" \t"));
    if (name.ends_with(':')) return "labels in inline PTX (asm)";
    return name.empty() ? "" : "the PTX instruction " + name;
  }

  void declare(std::string_view text) {
    const std::vector<std::string> words = ptx_parts(text.substr(4), ',');
    const std::size_t dot = words[0].find('.'), blank = words[0].find_first_of(" \t");
    if (dot != 0 || blank == std::string::npos) throw NotTranslated();
    const std::string type = type_named(words[0].substr(1, blank - 1));
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::string name = i == 0 ? trimmed(words[0].substr(blank)) : words[i];
      if (name.empty() || name.find('<') != std::string::npos) throw NotTranslated();
      std::string variable = "gpulab_register_";
      for (const char c : name) variable += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
      variables_[name.front() == '%' ? name.substr(1) : name] = variable;
      cpp_ += type + " " + variable + "{}; ";
    }
  }

  static std::string type_named(std::string_view name) {
    const auto found = cpp_types.find(name);
    if (found == cpp_types.end()) throw NotTranslated();
    return found->second;
  }

  // Returns whether the instruction's name has this part, alone or qualified: "shared", "shared::cta".
  bool has(std::string_view part) const {
    return std::ranges::find(parts_, part) != parts_.end() ||
           std::ranges::any_of(
               parts_, [&](const std::string& whole) { return whole.starts_with(std::string(part) + "::"); });
  }

  void require_operands(std::size_t operands) const {
    if (operands_.size() != operands) throw NotTranslated();
  }

  // Returns the register that an operand names.
  std::string variable(std::string_view operand) const {
    if (operand == "_") return "gpulab_nowhere()";
    if (operand.starts_with('%')) operand.remove_prefix(1);
    const auto found = variables_.find(std::string(operand));
    if (found == variables_.end()) throw NotTranslated();
    return found->second;
  }

  // Returns the operand's bits as that type of C++.
  std::string value(const std::string& operand, const std::string& type) const {
    if (operand.empty()) throw NotTranslated();
    if (operand.starts_with("0f") || operand.starts_with("0F"))
      return fmt::format("gpulab_as<{}>(0x{}u)", type, operand.substr(2));
    if (std::isdigit(static_cast<unsigned char>(operand[0])) || operand[0] == '-') {
      if (operand.find_first_not_of("0123456789abcdefABCDEFxXU-.") != std::string::npos)
        throw NotTranslated();
      return fmt::format("({})({})", type, operand);
    }
    if (operand.starts_with('%') && !variables_.contains(operand.substr(1)))
      return fmt::format("({})({})", type, special(operand.substr(1)));
    return fmt::format("gpulab_as<{}>({})", type, variable(operand));
  }

  static std::string special(const std::string& name) {
    const auto found = special_registers.find(name);
    if (found != special_registers.end()) return found->second;
    const std::array<std::pair<const char*, const char*>, 4> vectors{
        {{"tid.", "threadIdx."}, {"ntid.", "blockDim."}, {"ctaid.", "blockIdx."}, {"nctaid.", "gridDim."}}};
    for (const auto& [ptx, cuda] : vectors)
      if (name.starts_with(ptx)) return cuda + name.substr(std::string_view(ptx).size());
    throw NotTranslated{"the PTX register %" + name};
  }

  // Returns a pointer for "[%1+16]".
  std::string pointer(const std::string& operand, const std::string& type) const {
    if (!operand.starts_with('[') || !operand.ends_with(']')) throw NotTranslated();
    const std::string inside = operand.substr(1, operand.size() - 2);
    const std::size_t sign = inside.find_first_of("+-");
    const std::string base = trimmed(inside.substr(0, sign));
    const std::string offset = sign == std::string::npos ? "0" : trimmed(inside.substr(sign));
    const char* const memory = has("shared") ? "gpulab_in_shared_memory" : "gpulab_in_memory";
    return fmt::format("(({}*)({}({}) + ({})))", type, memory, variable(base), offset);
  }

  void set(const std::string& operand, const std::string& type, const std::string& result) {
    cpp_ += fmt::format("gpulab_set({}, ({})({})); ", variable(operand), type, result);
  }

  void add_instruction() {
    const std::string& base = parts_.front();
    if (base == "ld" || base == "ldu") return add_load();
    if (base == "st") return add_store();
    if (base == "atom" || base == "red") return add_atomic();
    if (base == "cvt") return add_conversion();
    if (base == "cvta") return add_address();
    if (base == "setp") return add_comparison();
    if (base == "cp") return add_asynchronous_copy();
    if (base == "shfl") return add_shuffle();
    if (base == "ldmatrix") return add_load_of_matrices();
    if (base == "mma") return add_product_of_matrices();
    if ((base == "bar" || base == "barrier") && (has("sync") || has("arrive"))) return add_barrier();
    if (base == "selp") return add_selection();
    if (base == "mul" && has("wide")) return add_wide_product();
    if (base == "membar" || base == "fence")
      cpp_ += has("cta")   ? "__threadfence_block(); "
              : has("sys") ? "__threadfence_system(); "
                           : "__threadfence(); ";
    else if (base == "bar" && has("warp"))
      cpp_ += "__syncwarp(" + value(operands_.at(0), "unsigned") + "); ";
    else if (base == "nanosleep")
      cpp_ += "__nanosleep(0); ";
    else if (base == "trap")
      cpp_ += "__trap(); ";
    else if (is_one_of(base, {"prefetch", "prefetchu", "discard", "griddepcontrol"}))
      cpp_ += "; ";
    else
      add_value();
  }

  // Returns the C++ type of the instruction, which its last part names.
  std::string type() const { return type_named(parts_.back()); }

  void add_value() {
    std::string name = parts_.front();
    for (std::size_t i = 1; i + 1 < parts_.size(); ++i)
      if (!is_without_effect(parts_[i])) name += "." + parts_[i];
    const auto found = instruction_values.find(name);
    if (found == instruction_values.end() || operands_.empty()) throw NotTranslated();
    std::string result;
    for (const char* at = found->second; *at; ++at) {
      if (*at != '$' && *at != '#' && *at != '@') {
        result += *at;
        continue;
      }
      const char kind = *at;
      const auto number = static_cast<std::size_t>(*++at - '0');
      if (number >= operands_.size()) throw NotTranslated();
      result += kind == '@' ? variable(operands_[number])
                            : "(" + value(operands_[number], kind == '#' ? "unsigned" : type()) + ")";
    }
    const bool is_count = is_one_of(name, {"popc", "clz", "bfind"});  // 32 bits for any type
    set(operands_[0], is_count ? "unsigned" : type(), result);
  }

  void add_load() {
    require_operands(2);
    const bool is_strong = has("volatile") || has("relaxed") || has("acquire");
    const std::string element = type();
    const std::string from = pointer(operands_[1], std::string(is_strong ? "volatile " : "const ") + element);
    set_from_array(operands_[0], element, from);
    if (has("acquire")) cpp_ += "__threadfence(); ";
  }

  void add_store() {
    require_operands(2);
    const bool is_strong = has("volatile") || has("relaxed") || has("release");
    if (has("release")) cpp_ += "__threadfence(); ";
    const std::string to = pointer(operands_[0], (is_strong ? "volatile " : "") + type());
    const std::vector<std::string> from = vector_of(operands_[1]);
    for (std::size_t i = 0; i < from.size(); ++i)
      cpp_ += fmt::format("{}[{}] = {}; ", to, i, value(from[i], type()));
  }

  static std::vector<std::string> vector_of(const std::string& operand) {
    if (!operand.starts_with('{')) return {operand};
    return ptx_parts(operand.substr(1, operand.size() - 2), ',');
  }

  void add_atomic() {
    const bool has_result = parts_.front() == "atom";
    const auto function = std::ranges::find_if(
        atomics, [&](const auto& entry) { return std::ranges::find(parts_, entry.first) != parts_.end(); });
    if (function == atomics.end() || operands_.size() < (has_result ? 3 : 2)) throw NotTranslated();
    const std::size_t first = has_result ? 1 : 0;
    // Only minimum and maximum have functions for long long. The others give the same bits without a sign.
    const bool has_sign = has("min") || has("max");
    const std::string element = type() == "long long" && !has_sign ? "unsigned long long" : type();
    if (has("release") || has("acq_rel")) cpp_ += "__threadfence(); ";
    std::string call = std::string(function->second) + "(" + pointer(operands_[first], element);
    for (std::size_t i = first + 1; i < operands_.size(); ++i) call += ", " + value(operands_[i], element);
    call += ")";
    if (has_result)
      set(operands_[0], element, call);
    else
      cpp_ += call + "; ";
    if (has("acquire") || has("acq_rel")) cpp_ += "__threadfence(); ";
  }

  void add_conversion() {
    require_operands(2);
    if (parts_.size() < 3) throw NotTranslated();
    const std::string from = type(), to = type_named(parts_[parts_.size() - 2]);
    const bool to_integer = to != "float" && to != "double" && (from == "float" || from == "double");
    for (std::size_t i = 1; i + 2 < parts_.size(); ++i)
      if (parts_[i] != "rn" && parts_[i] != "ftz" && parts_[i] != "rzi" && parts_[i] != "rni")
        throw NotTranslated();
    const std::string operand = value(operands_[1], from);
    set(operands_[0], to, to_integer && has("rni") ? "__builtin_rint(" + operand + ")" : operand);
  }

  void add_address() {
    require_operands(2);
    const std::string generic = value(operands_[1], "unsigned long long");
    if (!has("shared")) return set(operands_[0], "unsigned long long", generic);
    set(operands_[0], "unsigned long long",
        has("to") ? "gpulab_offset_in_shared_memory((void*)" + generic + ")"
                  : "(unsigned long long)gpulab_in_shared_memory((unsigned)" + generic + ")");
  }

  void add_comparison() {
    require_operands(3);
    if (parts_.size() != 3 || !comparisons.contains(parts_[1])) throw NotTranslated();
    set(operands_[0], "bool",
        value(operands_[1], type()) + comparisons.at(parts_[1]) + value(operands_[2], type()));
  }

  void add_wide_product() {
    require_operands(3);
    const std::string wide = type() == "int" ? "long long" : "unsigned long long";
    if (type() != "int" && type() != "unsigned") throw NotTranslated();
    set(operands_[0], wide,
        fmt::format("({}){} * {}", wide, value(operands_[1], type()), value(operands_[2], type())));
  }

  void add_asynchronous_copy() {
    if (!has("async")) throw NotTranslated();
    if (has("commit_group")) {
      cpp_ += "gpulab_commit_copies(); ";
    } else if (has("wait_all")) {
      cpp_ += "gpulab_commit_copies(); gpulab_wait_for_copies(0); ";
    } else if (has("wait_group")) {
      cpp_ += "gpulab_wait_for_copies(" + value(operands_.at(0), "unsigned") + "); ";
    } else {
      if (operands_.size() < 3 || operands_.size() > 4 || has("bulk")) throw NotTranslated();
      const std::string bytes = value(operands_[2], "unsigned");
      const std::string to = pointer(operands_[0], "void");  // the only operand in shared memory
      std::erase_if(parts_, [](const std::string& part) { return part.starts_with("shared"); });
      cpp_ += "gpulab_copy_async(" + to + ", " + pointer(operands_[1], "const void") + ", " + bytes + ", " +
              (operands_.size() == 4 ? bytes + " - " + value(operands_[3], "unsigned") : "0") +
              ", nullptr); ";
    }
  }

  void add_selection() {
    require_operands(4);
    set(operands_[0], type(),
        fmt::format("{} ? {} : {}", value(operands_[3], "bool"), value(operands_[1], type()),
                    value(operands_[2], type())));
  }

  // Adds a shuffle of the whole warp: its clamp operand is 31 (0x1f), or 0 for .up.
  void add_shuffle() {
    require_operands(5);
    const bool is_up = has("up");
    if (operands_[3] != (is_up ? "0" : "31") && operands_[3] != (is_up ? "0x0" : "0x1f"))
      throw NotTranslated();
    const char* const kind = is_up ? "_up" : has("down") ? "_down" : has("bfly") ? "_xor" : "";
    if (*kind == '\0' && !has("idx")) throw NotTranslated();
    set(operands_[0], "unsigned",
        fmt::format("__shfl{}_sync({}, {}, {})", kind, value(operands_[4], "unsigned"),
                    value(operands_[1], "unsigned"), value(operands_[2], "unsigned")));
  }

  // Adds a barrier of the whole block, or of as many threads as the second operand says.
  void add_barrier() {
    if (operands_.size() == 1 && has("sync")) {
      cpp_ += "__syncthreads(); ";
      return;
    }
    require_operands(2);
    cpp_ += fmt::format("gpulab_meet({}, {}{}", value(operands_[0], "unsigned"),
                        value(operands_[1], "unsigned"), has("arrive") ? ", false); " : ", true); ");
  }

  // Declares an array of the operand's registers, of which there must be `count`.
  void declare_array(const std::string& type, const std::string& array, const std::string& operand,
                     std::size_t count) {
    const std::vector<std::string> parts = vector_of(operand);
    if (parts.size() != count) throw NotTranslated();
    cpp_ += fmt::format("{} {}[] = {{", type, array);
    for (const std::string& part : parts) cpp_ += value(part, type) + ", ";
    cpp_ += "}; ";
  }
  void set_from_array(const std::string& operand, const std::string& type, const std::string& array) {
    const std::vector<std::string> to = vector_of(operand);
    for (std::size_t i = 0; i < to.size(); ++i) set(to[i], type, fmt::format("{}[{}]", array, i));
  }

  void add_load_of_matrices() {
    require_operands(2);
    const std::size_t count = vector_of(operands_[0]).size();
    if (!has("m8n8") || !has("shared") || parts_.back() != "b16" || !has("x" + std::to_string(count)))
      throw NotTranslated();
    cpp_ += fmt::format("{{ unsigned gpulab_loaded[{}]; gpulab_load_matrices({}, {}, gpulab_loaded); ", count,
                        pointer(operands_[1], "const void"), has("trans") ? "true" : "false");
    set_from_array(operands_[0], "unsigned", "gpulab_loaded");
    cpp_ += "} ";
  }

  // Adds d = a * b + c of 16 x k and k x 8 elements, as mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32: a
  // register holds one element of tf32, or two of f16 or bf16.
  void add_product_of_matrices() {
    require_operands(4);
    if (parts_.size() != 10 || parts_[6] != parts_[9] || parts_[7] != parts_[8]) throw NotTranslated();
    const std::string &shape = parts_[3], &element = parts_[7];
    const bool is_half = parts_[6] == "f16" && element == "f16";  // two sums in a register
    if (!shape.starts_with("m16n8k") || (!is_half && parts_[6] != "f32")) throw NotTranslated();
    if (!is_one_of(element, {"f16", "bf16", "tf32"})) throw NotTranslated();
    const std::size_t k = std::stoul("0" + shape.substr(6)), k_of_register = element == "tf32" ? 4 : 8;
    const std::size_t registers = k / k_of_register;  // of b; four lanes share a row of a, or a column of b
    if (k != k_of_register && k != 2 * k_of_register) throw NotTranslated();
    cpp_ += "{ ";
    declare_array("unsigned", "gpulab_a", operands_[1], 2 * registers);
    declare_array("unsigned", "gpulab_b", operands_[2], registers);
    declare_array(is_half ? "unsigned" : "float", "gpulab_c", operands_[3], is_half ? 2 : 4);
    cpp_ += "gpulab_multiply(gpulab_a, gpulab_b, gpulab_c, gpulab_from_" + element + "{}); ";
    set_from_array(operands_[0], is_half ? "unsigned" : "float", "gpulab_c");
    cpp_ += "} ";
  }

  std::map<std::string, std::string> variables_;  // C++ variables by the names of registers
  std::vector<std::string> parts_, operands_;     // of the current instruction's name, and its operands
  std::string cpp_;
};

}  // namespace

std::string translated_instructions(const std::string& ptx, std::size_t operands) {
  return Translator(operands).translated(ptx);
}

}  // namespace gpulab::source
