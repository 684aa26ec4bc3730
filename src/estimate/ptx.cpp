#include "estimate/ptx.hpp"

#include <algorithm>
#include <charconv>
#include <ranges>
#include <set>
#include <string_view>

#include "base/text.hpp"

namespace gpulab::estimate {

InstructionMix& InstructionMix::operator+=(const InstructionMix& other) {
  issued += other.issued;
  multiply_add += other.multiply_add;
  float64 += other.float64;
  special += other.special;
  return *this;
}

InstructionMix operator*(double times, const InstructionMix& mix) {
  return {times * mix.issued, times * mix.multiply_add, times * mix.float64, times * mix.special};
}

namespace {

// A statement of PTX: "@%p1 ld.global.f32 %f1, [%rd8+4];".
struct Statement {
  std::string_view opcode;  // "ld.global.f32"
  std::vector<std::string_view> operands;
};

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

std::string_view take_word(std::string_view& text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  std::size_t end = 0;
  while (end < text.size() && !is_space(text[end])) ++end;
  const std::string_view found = text.substr(0, end);
  text.remove_prefix(end);
  return found;
}

std::optional<long> number_in(std::string_view text) {
  long value = 0;
  const bool is_number = std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
  return is_number ? std::optional(value) : std::nullopt;
}

// Splits at commas, semicolons, blanks and braces; "[%rd8+4]" stays whole.
std::vector<std::string_view> operands_of(std::string_view text) {
  std::vector<std::string_view> operands;
  std::size_t begin = 0;
  const auto is_end = [](char c) { return c == ',' || c == ';' || c == '{' || c == '}' || is_space(c); };
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && !is_end(text[i])) continue;
    if (i > begin) operands.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return operands;
}

Statement statement_in(std::string_view line) {
  Statement statement;
  statement.opcode = take_word(line);
  if (statement.opcode.starts_with("@")) statement.opcode = take_word(line);  // after its predicate
  if (statement.opcode.ends_with(";")) statement.opcode.remove_suffix(1);
  statement.operands = operands_of(line);
  return statement;
}

// Returns whether "part" is a part of the opcode "ld.part.f32", after its first.
bool has_part(std::string_view opcode, std::string_view part) {
  for (std::size_t begin = opcode.find(part); begin != std::string_view::npos;
       begin = opcode.find(part, begin + 1)) {
    const std::size_t end = begin + part.size();
    const bool ends_there = end == opcode.size() || opcode[end] == '.';
    if (begin > 0 && opcode[begin - 1] == '.' && ends_there) return true;
  }
  return false;
}

// Number of machine instructions for one PTX instruction, by the beginning of its opcode. The first entry
// that fits counts. Divisions and roots become sequences of instructions. Most moves, loads of parameters and
// casts of addresses become none.
struct Cost {
  const char* opcode;
  double instructions;
};
constexpr Cost costs[] = {
    {"mov", 0.3},        {"cvta", 0},      {"ld.param", 0.3}, {"ret", 1},        {"div.rn.f64", 40},
    {"div.rn.f32", 12},  {"div.f", 8},     {"div.full", 4},   {"div.approx", 3}, {"div.u64", 70},
    {"div.s64", 70},     {"rem.u64", 70},  {"rem.s64", 70},   {"div", 18},       {"rem", 20},
    {"sqrt.rn.f64", 40}, {"sqrt.rn", 10},  {"rcp.rn", 8},     {"add.s64", 1.5},  {"mul.lo.s64", 4},
    {"mad.lo.s64", 4},   {"shl.b64", 1.5}, {"shr.", 1},       {"or.pred", 0},    {"and.pred", 0},
    {"bra", 0.5},        {"selp", 1},      {"bar", 1},        {"membar", 1},     {"fence", 1},
};

double instructions_of(std::string_view opcode) {
  for (const Cost& cost : costs)
    if (opcode.starts_with(cost.opcode)) return cost.instructions;
  return 1;
}

InstructionMix mix_of(std::string_view opcode) {
  InstructionMix mix{.issued = instructions_of(opcode)};
  const auto starts_with_any = [&](std::initializer_list<std::string_view> prefixes) {
    return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return opcode.starts_with(prefix); });
  };
  const bool is_float = opcode.ends_with(".f32") || opcode.ends_with(".f16x2");
  if (opcode.ends_with(".f64"))
    mix.float64 = mix.issued;
  else if (starts_with_any({"sqrt", "rsqrt", "rcp", "sin", "cos", "ex2", "lg2"}))
    mix.special = 1;
  else if (is_float && starts_with_any({"fma", "add", "mul", "sub", "div"}))
    mix.multiply_add = mix.issued;
  return mix;
}

std::optional<AccessKind> kind_of(std::string_view opcode) {
  const bool is_shared = has_part(opcode, "shared");
  const bool is_elsewhere =
      has_part(opcode, "param") || has_part(opcode, "local") || has_part(opcode, "const");
  if (opcode.starts_with("ld.") && !is_elsewhere)
    return is_shared ? AccessKind::shared_load : AccessKind::global_load;
  if (opcode.starts_with("st.") && !is_elsewhere)
    return is_shared ? AccessKind::shared_store : AccessKind::global_store;
  if (opcode.starts_with("atom") || opcode.starts_with("red."))
    return is_shared ? AccessKind::shared_atomic : AccessKind::global_atomic;
  return std::nullopt;
}

// Returns "%rd8" and 4 for "[%rd8+4]": the register, or a variable of shared memory, and the offset.
std::pair<std::string, long> address_in(std::string_view operand) {
  operand.remove_prefix(std::min(operand.size(), operand.find('[') + 1));
  operand = operand.substr(0, operand.find(']'));
  const std::size_t plus = operand.find('+');
  const long offset = plus == std::string_view::npos ? 0 : number_in(operand.substr(plus + 1)).value_or(0);
  return {std::string(operand.substr(0, plus)), offset};
}

// Reader of one kernel's statements, basic block after basic block. A batch is what BasicBlock::load_batches
// counts: loads of global memory that are in flight together.
class KernelReader {
 public:
  explicit KernelReader(std::map<int, std::string> files) : files_(std::move(files)) { begin_block(); }

  void read(std::string_view line) {
    if (line.starts_with("$L") && line.find(':') != std::string_view::npos) {
      begin_block();
      labels_[std::string(line.substr(0, line.find(':')))] = kernel_.blocks.size() - 1;
    } else if (line.starts_with(".loc")) {
      read_location(line);
    } else if (!line.empty() &&
               (line.front() == '@' || std::islower(static_cast<unsigned char>(line.front())))) {
      read_statement(statement_in(line));
    }
  }

  PtxKernel take() {
    merge_shared_loads();
    find_loops();
    // The first batch of a block that joins is part of the earlier block's, if both run equally often.
    for (const auto& [earlier, block] : joined_batches_)
      if (kernel_.blocks[earlier].loop == kernel_.blocks[block].loop) --kernel_.blocks[block].load_batches;
    return std::move(kernel_);
  }

 private:
  void begin_block() {
    merge_shared_loads();
    kernel_.blocks.emplace_back();
    batch_of_.clear();
    batch_ = 0;
    has_stored_since_batch_ = false;
  }

  void read_location(std::string_view line) {
    take_word(line);  // ".loc"
    const std::string_view file_number = take_word(line), line_number = take_word(line);
    const auto file = files_.find(static_cast<int>(number_in(file_number).value_or(0)));
    if (file == files_.end()) return;
    file_ = file->second;
    line_ = static_cast<int>(number_in(line_number).value_or(0));
  }

  void read_statement(const Statement& statement) {
    BasicBlock& block = kernel_.blocks.back();
    block.mix += mix_of(statement.opcode);
    if (statement.opcode.starts_with("bra") && !statement.operands.empty()) {
      jumps_.emplace_back(kernel_.blocks.size() - 1, std::string(statement.operands.back()));
      begin_block();
      return;
    }
    if (statement.opcode.starts_with("bar")) has_stored_since_batch_ = true;
    if (has_part(statement.opcode, "local")) ++block.local_accesses;
    if (statement.opcode.starts_with("call")) ++block.calls;
    note_alignment(statement);
    const std::optional<AccessKind> kind = kind_of(statement.opcode);
    if (kind) read_access(statement, *kind);
    if (kind != AccessKind::global_load) {
      note_use(statement);
      pass_on_batch(statement);
    }
  }

  // Ends the loads in flight at the first use of a register that they fill, and at stores and barriers. A mov
  // does not count as a use: the register that it writes is waited for instead.
  void note_use(const Statement& statement) {
    const bool is_use = std::ranges::any_of(
        statement.operands | std::views::drop(1),
        [&](std::string_view operand) { return in_flight_.contains(std::string(operand)); });
    if (is_use && statement.opcode.starts_with("mov"))
      in_flight_.insert(std::string(statement.operands.front()));
    else if (is_use || has_stored_since_batch_)
      in_flight_.clear();
  }

  // Counts an access. A load of global memory joins the loads in flight, or starts a batch if it has to wait.
  void read_access(const Statement& statement, AccessKind kind) {
    ++kernel_.blocks.back().accesses[{file_, line_, kind}];
    const auto address = std::ranges::find_if(
        statement.operands, [](std::string_view operand) { return operand.starts_with("["); });
    if (address == statement.operands.end()) return;
    const auto [base, offset] = address_in(*address);
    if (kind == AccessKind::shared_load && has_part(statement.opcode, "f32"))
      words_[{{file_, line_, kind}, base}].push_back(offset);
    if (kind == AccessKind::global_store || is_atomic(kind)) has_stored_since_batch_ = true;
    if (kind != AccessKind::global_load) return;
    const bool is_read_only = has_part(statement.opcode, "nc");
    const unsigned batch_of_address = batch_of_.contains(base) ? batch_of_[base] : 0;
    if (in_flight_.contains(std::string(base))) in_flight_.clear();
    const std::size_t block = kernel_.blocks.size() - 1;
    const bool is_first_load_of_block = batch_ == 0;
    if (is_first_load_of_block && !in_flight_.empty() && block_in_flight_ < block)
      joined_batches_.emplace_back(block_in_flight_, block);
    if (in_flight_.empty()) block_in_flight_ = block;
    const bool may_be_overwritten = has_stored_since_batch_ && !is_read_only;
    const bool waits_for_address = batch_of_address >= batch_;
    if (is_first_load_of_block || waits_for_address || may_be_overwritten) {
      ++batch_;
      has_stored_since_batch_ = false;
    }
    kernel_.blocks.back().load_batches = batch_;
    for (auto operand = statement.operands.begin(); operand != address; ++operand) {
      batch_of_[std::string(*operand)] = batch_;
      in_flight_.insert(std::string(*operand));
    }
  }

  // Notes that the result depends on a batch of loads if one of the other operands does.
  void pass_on_batch(const Statement& statement) {
    if (statement.operands.empty()) return;
    unsigned latest = 0;
    for (std::size_t i = 1; i < statement.operands.size(); ++i) {
      const auto found = batch_of_.find(std::string(statement.operands[i]));
      if (found != batch_of_.end()) latest = std::max(latest, found->second);
    }
    if (latest > 0) batch_of_[std::string(statement.operands.front())] = latest;
  }

  // Returns the largest power of two, up to max_alignment, that certainly divides the operand. Arrays in
  // shared memory are assumed to begin at a multiple of max_alignment.
  long alignment_of(std::string_view operand) const {
    if (operand.starts_with("%")) {
      const auto known = alignments_.find(std::string(operand));
      return known == alignments_.end() ? 1 : known->second;
    }
    const long value = number_in(operand).value_or(0);
    const long lowest_bit = value & -value;
    return value == 0 ? max_alignment : std::min(lowest_bit, max_alignment);
  }

  void note_alignment(const Statement& statement) {
    const std::string_view opcode = statement.opcode;
    const std::vector<std::string_view>& operands = statement.operands;
    if (operands.size() < 2) return;
    const std::optional<long> shift = operands.size() > 2 ? number_in(operands[2]) : std::nullopt;
    const auto alignment_at = [&](std::size_t i) {
      return i < operands.size() ? alignment_of(operands[i]) : 1;
    };
    long alignment = 1;
    if (opcode.starts_with("mov") || opcode.starts_with("cvta"))
      alignment = alignment_at(1);
    else if (opcode.starts_with("add") || opcode.starts_with("sub") || opcode.starts_with("or"))
      alignment = std::min(alignment_at(1), alignment_at(2));
    else if (opcode.starts_with("and"))
      alignment = std::max(alignment_at(1), alignment_at(2));
    else if (opcode.starts_with("mul.lo") || opcode.starts_with("mul.wide"))
      alignment = alignment_at(1) * alignment_at(2);
    else if (opcode.starts_with("mad"))
      alignment = std::min(alignment_at(1) * alignment_at(2), alignment_at(3));
    else if (opcode.starts_with("shl") && shift)
      alignment = alignment_at(1) << std::clamp(*shift, 0L, 4L);  // 2^4 is max_alignment
    // A register that is written several times has the least alignment of its values.
    const auto known = alignments_.emplace(operands.front(), max_alignment).first;
    known->second = std::min(alignment, known->second);
  }

  // Counts loads of four or two neighbouring words of shared memory as one instruction: ptxas merges them if
  // the address is aligned for a vector load.
  void merge_shared_loads() {
    constexpr long bytes_of_word = 4, max_words = 4;
    for (auto& [key, offsets] : words_) {
      const auto& [place, base] = key;
      std::ranges::sort(offsets);
      unsigned merged = 0;
      for (std::size_t i = 0; i < offsets.size();) {
        const long alignment = std::min(alignment_of(base), alignment_of(std::to_string(offsets[i])));
        const std::size_t max_length = std::clamp<std::size_t>(alignment / bytes_of_word, 1, max_words);
        std::size_t length = 1;  // words of the vector load
        while (length < max_length && i + length < offsets.size() &&
               offsets[i + length] == offsets[i] + bytes_of_word * static_cast<long>(length))
          ++length;
        if (length == 3) length = 2;  // a vector load has two or four words
        merged += static_cast<unsigned>(length - 1);
        i += length;
      }
      kernel_.blocks.back().mix.issued -= merged;
      if (merged > 0) kernel_.blocks.back().merged[place] += merged;
    }
    words_.clear();
  }

  // Blocks are in the order of the text. The innermost loop of a block is the shortest loop around it.
  void find_loops() {
    for (const auto& [from, label] : jumps_) {
      const auto target = labels_.find(label);
      if (target == labels_.end() || target->second > from) continue;
      kernel_.loops.push_back({target->second, from});
    }
    for (std::size_t i = 0; i < kernel_.loops.size(); ++i)
      for (std::size_t b = kernel_.loops[i].first; b <= kernel_.loops[i].last; ++b) {
        std::optional<std::size_t>& inner = kernel_.blocks[b].loop;
        const auto length = [&](std::size_t loop) {
          return kernel_.loops[loop].last - kernel_.loops[loop].first;
        };
        if (!inner || length(i) < length(*inner)) inner = i;
      }
  }

  std::map<int, std::string> files_;
  PtxKernel kernel_;
  std::string file_;
  int line_ = 0;
  static constexpr long max_alignment = 16;  // bytes of the widest load
  std::map<std::string, long> alignments_;   // by register, the alignment of every value that it gets
  std::map<std::string, std::size_t> labels_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;
  // The current block:
  std::map<std::string, unsigned> batch_of_;  // by register, the last batch of loads that it depends on
  unsigned batch_ = 0;
  bool has_stored_since_batch_ = false;  // this thread by a store or atomic, or another before a barrier
  // Registers that loads in flight fill, and the block of the first of these loads. Each load under a guard
  // is in a block of its own, but joins the loads in flight: ptxas turns such guards into predicates.
  std::set<std::string> in_flight_;
  std::size_t block_in_flight_ = 0;
  // block_in_flight_, and the block whose first load joins.
  std::vector<std::pair<std::size_t, std::size_t>> joined_batches_;
  std::map<std::pair<AccessPlace, std::string>, std::vector<long>> words_;  // offsets, by base register
};

// Returns the offset of the brace that closes the one at `open`. Inline PTX has braces, too.
std::size_t end_of_braces(const std::string& ptx, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < ptx.size(); ++i) {
    if (ptx[i] == '{') ++depth;
    if (ptx[i] == '}' && --depth == 0) return i;
  }
  return ptx.size();
}

// Returns the names of the files by their numbers in .loc directives; "" for the main file.
std::map<int, std::string> numbered_files(const std::string& ptx, const std::vector<std::string>& files) {
  std::map<int, std::string> names;
  for (const std::string& line : lines_of(ptx)) {
    std::string_view rest = line;
    if (take_word(rest) != ".file") continue;
    const int number = static_cast<int>(number_in(take_word(rest)).value_or(0));
    for (const std::string& file : files) {
      const std::size_t found = rest.find(file + "\"");
      const bool is_whole_name =
          found != std::string_view::npos && (rest[found - 1] == '/' || rest[found - 1] == '"');
      if (!is_whole_name) continue;
      names[number] = file == files.front() ? "" : file.substr(file.rfind('/') + 1);
    }
  }
  return names;
}

}  // namespace

bool PtxKernel::has_uncounted_iterations() const {
  const auto accesses_memory = [&](const Loop& loop) {
    return std::any_of(blocks.begin() + loop.first, blocks.begin() + loop.last + 1,
                       [](const BasicBlock& block) { return !block.accesses.empty(); });
  };
  const auto is_inner = [&](const Loop& loop) {
    return std::ranges::any_of(loops, [&](const Loop& other) {
      return other.first <= loop.first && loop.last <= other.last &&
             other.last - other.first > loop.last - loop.first;
    });
  };
  const auto is_uncounted_inner = [&](const Loop& loop) { return is_inner(loop) && !accesses_memory(loop); };
  if (loops.empty()) return false;
  return std::ranges::none_of(loops, accesses_memory) || std::ranges::any_of(loops, is_uncounted_inner);
}

std::optional<PtxKernel> read_ptx(const std::string& ptx, const std::string& symbol,
                                  const std::vector<std::string>& files) {
  const std::size_t entry = ptx.find(".entry " + symbol + "(");
  if (entry == std::string::npos) return std::nullopt;
  const std::size_t begin = ptx.find("\n{", entry);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = end_of_braces(ptx, begin + 1);
  KernelReader reader(numbered_files(ptx, files));
  for (const std::string& line : lines_of(ptx.substr(begin + 2, end - begin - 2))) {
    std::string_view text = line;
    // Inline PTX begins as "{add.f16x2 %r1,%r2,%r3;".
    while (!text.empty() && (is_space(text.front()) || text.front() == '{')) text.remove_prefix(1);
    reader.read(text);
  }
  return reader.take();
}

std::vector<std::string> kernels_in(const std::string& ptx) {
  constexpr std::string_view entry = ".entry ";
  std::vector<std::string> symbols;
  for (std::size_t begin = ptx.find(entry); begin != std::string::npos; begin = ptx.find(entry, begin)) {
    begin += entry.size();
    symbols.push_back(ptx.substr(begin, ptx.find('(', begin) - begin));
  }
  return symbols;
}

}  // namespace gpulab::estimate
