#include "program/further_findings.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <csignal>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "program/hip.hpp"
#include "source/endless_loops.hpp"
#include "source/program_findings.hpp"
#include "source/slips.hpp"
#include "source/source_parts.hpp"
#include "source/statements.hpp"

namespace gpulab::program {
namespace {

// Notes that no kernel ran, if the main file has one and nothing else was found.
void note_missing_launch(const CompiledProgram& program, ProgramResult& result) {
  const source::Code& code = program.sources.front().code;
  const auto kernel = std::ranges::find(code.tokens(), "__global__", &source::CodeToken::text);
  const bool has_ended = result.has_report && result.signal == 0 && result.status == 0;
  if (!has_ended || result.report.launches > 0 || kernel == code.tokens().end() ||
      !std::ranges::all_of(result.report.findings, &ProgramFinding::is_note))
    return;
  result.report.findings.insert(
      result.report.findings.begin(),
      {.pattern = "no-launch",
       .is_note = true,
       .place = {"", kernel->line},
       .text =
           "no kernel ran, though here is one: does the program come to kernel<<<blocks, threads>>>(...)?"});
}

// Notes that nvcc refuses printf in a program without a header of the host: here the prelude includes one.
void note_missing_header(const std::vector<source::SourceFile>& sources, ProgramReport& report) {
  for (const std::string& header : source::foreign_headers(sources))
    if (!is_one_of(header, {"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h"}))
      return;
  const source::Code& code = sources.front().code;
  const auto call = std::ranges::find(code.tokens(), "printf", &source::CodeToken::text);
  if (call == code.tokens().end() || is_hip(sources)) return;
  report.findings.push_back({.pattern = "unknown-name",
                             .is_note = true,
                             .place = {"", call->line},
                             .text = "nvcc does not compile printf here, as no #include names its header",
                             .correction = "#include <cstdio>"});
}

// An argument of a launch, and the names of the kernel where it is defined and where it is launched.
struct LaunchArgument {
  std::size_t kernel = 0, launch = 0, number = 0;
  source::TokenRange tokens = {};

  bool is_one_token() const { return tokens.size() == 1; }
  // Looks for the argument's tokens; returns whether the launch has an argument of that number.
  bool find_in(const source::Code& code) {
    const std::size_t call = source::end_of_configuration(code, launch + 4) + 2;
    tokens = source::argument_tokens(code, call, number);
    return tokens.size() > 0;
  }
};

// Calls the function with each argument of each launch of the text's kernels.
void for_each_argument(const source::Code& code, const std::function<void(const LaunchArgument&)>& use) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::size_t kernel =
        code.text(at) == "__global__" ? source::start_of_parameters(code, at) - 1 : code.size();
    for (std::size_t launch = kernel + 1; launch < code.size(); ++launch)
      if (code.text(launch) == code.text(kernel) && source::is_operation(code, launch + 1, "<<<"))
        for (LaunchArgument argument{kernel, launch}; argument.find_in(code); ++argument.number)
          use(argument);
  }
}

// Notes a lambda expression that nvcc refuses: of the device without an option, or of the host in a
// launch. Those in kernels and functions of the device need neither.
void note_lambdas(const CompiledProgram& program, ProgramReport& report) {
  const source::Code& code = program.sources.front().code;
  int line = 0;
  const auto is_of_device = [&](std::size_t behind) {
    return is_one_of(code.text(behind), {"__device__", "__host__"});
  };
  for_each_argument(code, [&](const LaunchArgument& argument) {
    const std::size_t begin = argument.tokens.begin;
    if (code.text(begin) == "[" && !is_of_device(code.after_bracket(begin))) line = code[begin].line;
  });
  for (std::size_t at = 0; at < code.size() && !program.has_extended_lambdas; ++at)
    if (code.text(at) == "]" && is_of_device(at + 1)) line = code[at].line;
  if (line == 0 || is_hip(program.sources)) return;
  report.findings.push_back(
      {.pattern = "extended-lambda",
       .is_note = true,
       .place = {"", line},
       .text = "nvcc does not compile this lambda for the device",
       .correction = "[=] __device__ (...) { ... }, and give nvcc the option --extended-lambda"});
}

// Notes the first function of both sides that tests __CUDA_ARCH__: the host takes the device's branch, too.
void note_branch_of_device(const std::vector<source::SourceFile>& sources, ProgramReport& report) {
  const auto has = [](std::string_view text, const char* word) { return text.find(word) != text.npos; };
  std::set<std::string_view> macros;  // for both sides
  for (const source::SourceFile& source : sources) {
    const source::Code& code = source.code;
    for (std::size_t at = 0, body = 0; at < code.size(); ++at) {
      const auto macro = source::macro_in(code.text(at));
      if (macro && has(macro->rest, "__host__") && has(macro->rest, "__device__")) macros.insert(macro->name);
      if (!macros.contains(code.text(at)) &&
          (code.text(at) != "__host__" || !code.has("__device__", {at - (at > 0), at + 2})))
        continue;
      for (body = at; body < code.size() && !is_one_of(code.text(body), {"{", ";"});) ++body;
      for (std::size_t i = body; code.text(body) == "{" && i < code.matching(body); ++i)
        if (has(source::directive_name(code.text(i)), "if") && has(code.text(i), "__CUDA_ARCH__"))
          return report.findings.push_back(
              {.pattern = "branch-of-device",
               .is_note = true,
               .place = {&source == &sources[0] ? "" : source.path.filename().string(), code[i].line},
               .text = "the host takes the branch of the device here, since both are compiled together: what "
                       "differs between them is not run as on a GPU"});
    }
  }
}

// Adds a crash that has left no report, as when the program has damaged the memory of the runtime. It is a
// defect like any other, and so is the exit code.
void add_unreported_crash(ProgramResult& result) {
  constexpr int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  if (result.has_report || std::ranges::find(crashes, result.signal) == std::end(crashes)) return;
  result.report.findings.push_back(
      {.pattern = "host-crash",
       .text = "the program crashes (signal " + std::to_string(result.signal) +
               "): has it written past the end of memory of the host, or to memory that it has freed?"});
  result.status = 1;
}

// Puts the compiler's notes of variables without a value first. One is a defect if a defect comes to its
// line, or if its kernel stores such a value, which is no second finding then.
void add_unset_variables(std::vector<ProgramFinding> unset, const source::Code& code, ProgramReport& report) {
  const auto comes_to = [&](const SourcePlace& place) {
    const auto is_there = [&](const SourcePlace& other) {
      return other.line == place.line && other.file == place.file;
    };
    return std::ranges::any_of(report.findings, [&](const ProgramFinding& finding) {
      return !finding.is_note &&
             (is_there(finding.place) ||
              std::ranges::any_of(finding.others, is_there, &ProgramFinding::Other::place));
    });
  };
  std::erase_if(unset, [&](const ProgramFinding& variable) {  // found by the address of its access
    return std::ranges::any_of(report.findings, [&](const ProgramFinding& finding) {
      return finding.pattern == variable.pattern && finding.place == variable.place;
    });
  });
  for (ProgramFinding& variable : unset) {
    const auto is_stored = [&](const ProgramFinding& finding) {
      return finding.pattern == variable.pattern && !finding.call.empty() &&
             source::kernel_around(code, variable.place.line).has(finding.place.line);
    };
    variable.is_note = std::erase_if(report.findings, is_stored) == 0 && !comes_to(variable.place);
  }
  report.findings.insert(report.findings.begin(), unset.begin(), unset.end());
}

// Notes a parameter that a kernel changes and never reads: the thread changes its copy of the argument.
void note_unread_parameters(const source::SourceFile& file, ProgramReport& report) {
  const source::Code& code = file.code;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code.text(at) != "__global__") continue;
    const std::size_t begin = source::start_of_parameters(code, at), body = code.after_bracket(begin);
    if (code.text(body) != "{") continue;
    for (std::size_t name = begin + 2; name < body; ++name) {
      const bool ends = code.text(name + 1) == "," || name + 1 == code.matching(begin);
      const source::DeclaredType declared = source::declared_type(code, code.text(name), name + 1);
      if (!ends || declared.type.empty() || declared.is_pointer || !code.is_word(name - 1)) continue;
      const std::vector<std::size_t> uses =
          source::uses_between(code, code.text(name), body, code.matching(body));
      const auto is_stored = [&](std::size_t use) {
        constexpr std::string_view before_statement = ";{})";
        const source::VariableUse kind = source::use_at(code, use);
        return before_statement.find(code.text(use - 1)) != before_statement.npos &&
               code.text(use + 1) != "[" &&
               (kind == source::VariableUse::set || kind == source::VariableUse::changed);
      };
      if (uses.empty() || !std::ranges::all_of(uses, is_stored)) continue;
      report.findings.push_back(
          {.pattern = "unread-parameter",
           .is_note = true,
           .place = {"", code[uses.front()].line},
           .text = fmt::format("'{0}' is the thread's own copy of an argument: nothing reads what is stored "
                               "there, and the host's {0} stays as it is",
                               code.text(name)),
           .correction = fmt::format("{}* {} for the parameter, if the host needs the value, and *{} here",
                                     declared.type, code.text(name), code.text(name))});
    }
  }
}

// Reports memory of the host that the text gives to an algorithm of Thrust with thrust::device.
void add_vectors_for_device(const source::Code& code, ProgramReport& report) {
  for (std::size_t at = 0; at + 4 < code.size(); ++at) {
    if (code.text(at) != "thrust" || code.text(at + 4) != "(") continue;
    const auto [policy, policy_end] = source::argument_tokens(code, at + 3, 0);
    const std::size_t vector = policy_end + 1;
    const std::string words = source::in_one_line(code, policy, policy_end);
    if (words != "thrust::device" || code.text(vector + 1) != ".") continue;
    std::size_t first = code.first_from_line(source::part_around(code, code[at].line).first);
    while (code.text(first) != code.text(vector)) ++first;  // its declaration, if the function has one
    if (code.text(first - 1) != ">" || !source::has_vector(code, code.text(vector), first + 1)) continue;
    report.findings.push_back(
        {.pattern = "host-pointer",
         .place = {"", code[at].line},
         .text = fmt::format(
             "thrust::{} works on the device, and {} is a vector of the host, which a GPU cannot access",
             code.text(at + 3), code.text(vector)),
         .correction = fmt::format(
             "thrust::host in place of thrust::device, or a thrust::device_vector with a copy of {}",
             code.text(vector))});
  }
}

// Puts a race between streams before the reads in its lines of memory that was not written yet.
void put_races_before_reads(std::vector<ProgramFinding>& findings) {
  for (auto race = findings.begin(); race != findings.end(); ++race) {
    const auto read = std::find_if(findings.begin(), race, [&](const ProgramFinding& finding) {
      return race->pattern == "race-streams" && finding.pattern == "uninitialised-global" &&
             (race->place == finding.place || source::names(*race, finding.place));
    });
    std::rotate(read, race, race + 1);
  }
}

// Says which line of the called function gives memory to its copy of the pointer, if one does.
std::string copy_that_gets_memory(const source::Code& code, std::size_t call, std::size_t pointer) {
  std::size_t number = 0;
  while (source::argument_tokens(code, call, number).begin < pointer) ++number;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::size_t body = code.text(at) == code.text(call) ? code.after_bracket(at + 1) : code.size();
    if (code.text(body) != "{") continue;
    const std::size_t name = source::argument_tokens(code, at, number).end - 1;
    const bool is_copy = code.text(name - 1) == "*" && code.text(name - 2) != "*";
    for (std::size_t use = body; is_copy && use < code.matching(body); ++use)
      if (code.text(use) == code.text(name) && code.text(use - 1) == "&" &&
          has_word(code, "cudaMalloc", body, use))
        return fmt::format("line {} gives it to {}, a copy of the pointer", code[use].line, code.text(name));
  }
  return "";
}

// Returns whether the text between the declaration of a pointer and the token gives it no memory: there it
// is only an argument of the runtime's functions and of launches. Says which line seems to do so.
bool has_no_memory(const source::Code& code, const std::vector<source::LocalVariable>& variables,
                   const source::LocalVariable& pointer, std::size_t end, std::string& receiver) {
  const std::string_view value = code.text(pointer.at + 2);
  if (!pointer.is_pointer || pointer.is_array ||
      (pointer.has_initializer && !is_one_of(value, {"nullptr", "NULL", "0"})))
    return false;
  for (std::size_t at = pointer.at + 1; at < end; ++at) {
    if (code[at].kind == source::TokenKind::directive) return false;
    if (code.text(at) != pointer.name) continue;
    const bool is_another = std::ranges::any_of(variables, [&](const source::LocalVariable& other) {
      return other.name == pointer.name && pointer.at < other.at && other.at <= at && at < other.scope_end;
    });
    if (is_another && code.text(at - 1) == "&")
      receiver = fmt::format("line {} gives it to another {}", code[at].line, pointer.name);
    if (is_another) continue;
    std::size_t open = at;
    while (open > pointer.at && (code.text(open) != "(" || code.matching(open) < at)) --open;
    const bool is_argument =
        is_one_of(code.text(at - 1), {"(", ","}) && is_one_of(code.text(at + 1), {")", ","});
    if (!is_argument) return false;
    if (code.text(open - 1).starts_with("cuda") || code.text(open - 1) == ">") continue;
    receiver = copy_that_gets_memory(code, open - 1, at);
    if (receiver.empty()) return false;
  }
  return true;
}

// Puts one finding in the place of those that follow from a pointer without memory in a launch.
void blame_missing_allocations(const source::Code& code, ProgramReport& report) {
  const std::vector<source::LocalVariable> variables = source::local_variables(code);
  std::vector<ProgramFinding> missing;
  const auto look_at = [&](std::size_t launch, const source::LocalVariable& pointer,
                           const std::string& receiver) {
    const int line = code[launch].line;
    const auto has_name = [&](const SourcePlace& place) {
      return place.file.empty() && has_word(code, pointer.name, code.line(place.line));
    };
    const auto is_launch = [&](const SourcePlace& place) { return place.file.empty() && place.line == line; };
    const auto follows = [&](const ProgramFinding& finding) {
      const auto launched = std::ranges::find_if(finding.others, is_launch, &ProgramFinding::Other::place);
      const bool is_of_launch = is_launch(finding.place) || (launched != finding.others.end() &&
                                                             finding.others.size() == 1);  // no memory
      return (is_one_of(finding.pattern, {"misaligned", "host-pointer", "out-of-bounds"}) && is_of_launch) ||
             (is_one_of(finding.pattern, {"wrong-direction", "null-pointer", "unset-variable"}) &&
              finding.place.line > 0 && has_name(finding.place));
    };
    if (std::erase_if(report.findings, follows) == 0) return;
    missing.push_back(
        {.pattern = "unset-variable",
         .place = {"", line},
         .text = fmt::format(
             "'{}' was never given memory: {} before the launch in line {}", pointer.name,
             receiver.empty() ? fmt::format("no cudaMalloc(&{}, ...)", pointer.name) : receiver, line),
         .correction = fmt::format("cudaMalloc(&{0}, count * sizeof(*{0})) before it", pointer.name)});
  };
  for_each_argument(code, [&](const LaunchArgument& argument) {
    std::string receiver;
    for (const source::LocalVariable& local : variables)
      if (argument.is_one_token() && local.is_meant_at(code, argument.tokens.begin) &&
          has_no_memory(code, variables, local, argument.launch, receiver))
        look_at(argument.launch, local, receiver);
  });
  report.findings.insert(report.findings.begin(), missing.begin(), missing.end());
}

// Says why a kernel that was stopped does not end, and names a slip of the pen in a program with a defect.
void add_slips(const source::Code& code, ProgramResult& result) {
  for (ProgramFinding& finding : result.report.findings)
    if (finding.pattern == name_of(DefectKind::time_limit) && finding.place.file.empty())
      if (const auto loop = source::endless_loop_at(code)) {
        finding.place = {"", loop->first};
        finding.text = fmt::format("the loop in line {} does not end: {}", loop->first, loop->second);
      }
  if (result.exit_code() == 0) return;
  if (const auto slip = source::first_slip(code))
    result.report.findings.insert(
        result.report.findings.begin(),
        {.pattern = slip->pattern, .is_note = true, .place = {"", slip->line}, .text = slip->text});
}

// Says how a copy would fill memory that a kernel reads and that was copied to the host instead.
void turn_copies_round(const source::Code& code, std::vector<ProgramFinding>& findings) {
  for (const ProgramFinding& copy : findings) {
    std::size_t call = code.first_from_line(copy.place.line);
    while (call < code.size() && !code.text(call).starts_with("cudaMemcpy")) ++call;
    const auto argument = [&](std::size_t number) {
      const auto [begin, end] = source::argument_tokens(code, call, number);
      return source::in_one_line(code, begin, end);
    };
    const std::string to = argument(0), from = argument(1), kind = argument(3);
    if (copy.pattern != "uninitialised-copy" || call == code.size() || code[call].line != copy.place.line ||
        kind != "cudaMemcpyDeviceToHost")
      continue;
    const auto is_filled = [&](const ProgramFinding::Other& other) {  // then the arguments are exchanged
      return other.place.file.empty() &&
             has_word(code, "cudaMemcpyHostToDevice", code.line(other.place.line));
    };
    for (ProgramFinding& read : findings)
      if (read.pattern == "uninitialised-global" && !copy.others.empty() &&
          std::ranges::none_of(read.others, is_filled) && source::names(read, copy.others[0].place))
        read.correction = fmt::format(
            "{}({}, {}, {}, cudaMemcpyHostToDevice) in line {}, if the kernel is to read "
            "what {} has: that line copies from the device, where nothing is yet",
            code.text(call), from, to, argument(2), copy.place.line, to);
  }
}

// Notes launches that give a number with a fraction, in a literal or a variable, to an integer parameter.
void note_converted_arguments(const source::SourceFile& file, ProgramReport& report) {
  const source::Code& code = file.code;
  const std::vector<source::LocalVariable> variables = source::local_variables(code);
  const auto is_parameter = [&](std::size_t name, std::string_view type) {
    for (std::size_t body = name; body-- > 1;)
      for (std::size_t at = code.matching(body - 1); at < body && code.matching(body) > name; ++at)
        if (code.text(body) == "{" && code.text(at) == type && code.text(at + 1) == code.text(name) &&
            is_one_of(code.text(at + 2), {",", ")"}))
          return true;
    return false;
  };
  const auto is_real = [&](std::size_t name) {
    const auto local = std::find_if(variables.rbegin(), variables.rend(),
                                    [&](const auto& variable) { return variable.is_meant_at(code, name); });
    if (local == variables.rend()) return is_parameter(name, "float") || is_parameter(name, "double");
    return !local->is_pointer && !local->is_array && (local->type == "float" || local->type == "double");
  };
  const auto is_integer = [&](std::size_t kernel, std::size_t parameter_end) {
    const auto is_overload = [&](std::size_t at) {
      const std::size_t other = source::start_of_parameters(code, at) - 1;
      return code.text(at) == "__global__" && other != kernel && code.text(other) == code.text(kernel);
    };
    const source::DeclaredType declared =
        source::declared_type(code, code.text(parameter_end - 1), parameter_end);
    for (std::size_t at = 0; at < code.size(); ++at)
      if (is_overload(at)) return false;
    return !declared.is_pointer &&
           is_one_of(declared.type, {"int", "unsigned", "unsigned int", "long", "size_t"});
  };
  for_each_argument(code, [&](const LaunchArgument& argument) {
    const auto [parameter, parameter_end] = source::argument_tokens(code, argument.kernel, argument.number);
    const std::size_t value = argument.tokens.begin;
    const bool is_literal = code[value].kind == source::TokenKind::number,
               has_fraction =
                   is_literal ? code.text(value).find('.') != std::string_view::npos : is_real(value);
    if (parameter != parameter_end && argument.is_one_token() && has_fraction &&
        is_integer(argument.kernel, parameter_end))
      report.findings.push_back(
          {.pattern = "converted-argument",
           .is_note = true,
           .place = {"", code[argument.launch].line},
           .text =
               fmt::format("{} loses its fraction, since the parameter is '{}': are two arguments exchanged?",
                           code.text(value), source::in_one_line(code, parameter, parameter_end))});
  });
}

// Notes copies between a local array of integers and one of floats.
void note_element_types(const source::Code& code, ProgramReport& report) {
  const std::vector<source::LocalVariable> variables = source::local_variables(code);
  const auto array_at = [&](std::size_t call, std::size_t number) {
    const auto [begin, end] = source::argument_tokens(code, call, number);
    return std::find_if(variables.rbegin(), variables.rend(), [&](const source::LocalVariable& local) {
      return (local.is_pointer || local.is_array) && end == begin + 1 && local.is_meant_at(code, begin);
    });
  };
  for (std::size_t call = 0; call < code.size(); ++call) {
    if (!is_one_of(code.text(call), {"cudaMemcpy", "cudaMemcpyAsync"})) continue;
    const auto to = array_at(call, 0), from = array_at(call, 1);
    if (to == variables.rend() || from == variables.rend()) continue;
    const auto is_pair = [&](std::string_view a, std::string_view b) {
      return from->type == a && to->type == b;
    };
    if (is_pair("int", "float") || is_pair("float", "int") || is_pair("float", "double") ||
        is_pair("double", "float"))
      report.findings.push_back(
          {.pattern = "converted-argument",
           .is_note = true,
           .place = {"", code[call].line},
           .text = fmt::format("'{}' has elements of type {}, and '{}' of type {}: a copy moves bytes, and "
                               "converts no number",
                               from->name, from->type, to->name, to->type)});
  }
}

// Makes a defect of a result that stays on the device if the function that launches its kernel prints an
// array that nothing fills.
void blame_unfilled_results(const source::Code& code, std::vector<ProgramFinding>& findings) {
  const auto result = std::ranges::find(findings, "result-not-copied", &ProgramFinding::pattern);
  if (result == findings.end() || !result->place.file.empty()) return;
  const source::PartLines launching = source::part_around(code, result->place.line);
  for (const source::LocalVariable& local : source::local_variables(code)) {
    const std::size_t begin = local.has_initializer ? source::end_of_value(code, local.at + 2) : local.at + 1;
    const bool is_unset = local.has_initializer
                              ? has_word(code, "malloc", local.at, begin) ||
                                    (has_word(code, "new", local.at, begin) && code.text(begin - 1) == "]")
                              : local.is_array;
    std::vector<std::size_t> uses = source::uses_between(code, local.name, begin, local.scope_end);
    std::erase_if(uses, [&](std::size_t use) {
      return code.text(use - 2) == "free" || (code.text(use - 1) == "]" && code.text(use - 3) == "delete");
    });
    const auto is_printed = [&](std::size_t use) {
      const std::size_t line = code.first_from_line(code[use].line);
      return code.text(use + 1) == "[" && code.text(use - 1) != "&" &&
             (has_word(code, "printf", line, use) || has_word(code, "cout", line, use));
    };
    if (!is_unset || !launching.has(code[local.at].line) || uses.empty() ||
        !std::ranges::all_of(uses, is_printed))
      continue;
    result->is_note = false;
    result->others.push_back(
        {{"", code[uses.front()].line},
         fmt::format("the host reads '{}' here, and nothing has filled it", local.name)});
    return;
  }
}

// Leaves one finding, the first double free, of memory that the destructors of an object and its copy free.
void blame_copied_objects(const source::Code& code, std::vector<ProgramFinding>& findings) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    ProgramFinding copy = findings[i];
    if (copy.pattern != "double-free" || !copy.place.file.empty() ||
        !source::is_in_destructor(code, copy.place.line))
      continue;
    const SourcePlace freed = copy.others.back().place;
    const auto follows = [&](const ProgramFinding& finding) {
      return (finding.pattern == "use-after-free" || finding.pattern == copy.pattern) &&
             source::names(finding, freed);
    };
    for (const ProgramFinding& finding : findings)
      if (finding.pattern != copy.pattern && follows(finding))
        copy.others.push_back({finding.place, "this uses the memory after that"});
    i = static_cast<std::size_t>(std::ranges::find_if(findings, follows) - findings.begin());
    std::erase_if(findings, follows);
    findings.insert(findings.begin() + static_cast<std::ptrdiff_t>(i), copy);
  }
}

}  // namespace

void add_further_findings(const CompiledProgram& program, const RunOptions& options, ProgramResult& result) {
  if (!options.captured) {
    note_missing_launch(program, result);
    add_unreported_crash(result);
    note_missing_header(program.sources, result.report);
  }
  add_unset_variables(program.findings, program.sources.front().code, result.report);
  note_unread_parameters(program.sources.front(), result.report);
  note_lambdas(program, result.report);
  note_branch_of_device(program.sources, result.report);
  note_converted_arguments(program.sources.front(), result.report);
  note_element_types(program.sources.front().code, result.report);
  blame_unfilled_results(program.sources.front().code, result.report.findings);
  add_vectors_for_device(program.sources.front().code, result.report);
  put_races_before_reads(result.report.findings);
  blame_missing_allocations(program.sources.front().code, result.report);
  blame_copied_objects(program.sources.front().code, result.report.findings);
  turn_copies_round(program.sources.front().code, result.report.findings);
  add_slips(program.sources.front().code, result);
}

}  // namespace gpulab::program
