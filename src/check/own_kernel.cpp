#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "check/own_exercises.hpp"
#include "device/compile_cache.hpp"
#include "lesson/finding.hpp"
#include "run/problems.hpp"
#include "simulator/remote/remote_device.hpp"
#include "source/code.hpp"
#include "source/statements.hpp"

namespace gpulab::check {
namespace {

ElementType element_type(const std::string& words) {
  for (const ElementType type : {ElementType::int32, ElementType::uint32, ElementType::uint8,
                                 ElementType::float32, ElementType::float64})
    if (words == name_of(type)) return type;
  if (words == "uint8_t") return ElementType::uint8;
  if (words == "unsigned" || words == "uint32_t") return ElementType::uint32;
  throw UsageError("of type '" + printable(words) +
                   "'; there are float, double, int, unsigned int, unsigned char, and pointers to them");
}

// The file with the function reference(): gives that function's parameters, which are the kernel's, and its
// text as a kernel.
class ReferenceText {
 public:
  explicit ReferenceText(const device::KernelSource& file) : file_(file.name), code_(file.text) {
    while (name_token_ < code_.size() &&
           !(code_.text(name_token_) == "reference" && code_.text(name_token_ + 1) == "("))
      ++name_token_;
    if (name_token_ == 0 || name_token_ >= code_.size() || code_.text(name_token_ - 1) != "void")
      throw UsageError(file_ + " has no function void reference(...) with the kernel's parameters");
  }

  std::vector<KernelArgument> parameters() const {
    std::vector<KernelArgument> all;
    for (std::size_t i = name_token_ + 2, end = code_.matching(name_token_ + 1); i < end; ++i)
      all.push_back(parameter(i, end));
    return all;
  }

  device::KernelSource as_kernel() const {
    std::string text = code_.whole();
    const bool is_marked = name_token_ >= 2 && code_.text(name_token_ - 2) == "__global__";
    if (!is_marked) text.insert(code_.begin_of(name_token_ - 1), "__global__ ");
    return {file_, text};
  }

 private:
  // Reads up to the comma. An array through a pointer to const is an input.
  KernelArgument parameter(std::size_t& i, std::size_t end) const {
    KernelArgument argument;
    std::string type;
    bool is_const = false;
    const int line = code_[i].line;
    for (; i < end && code_.text(i) != ","; ++i) {
      const std::string word(code_.text(i));
      is_const |= word == "const";
      if (word == "*") argument.role = is_const ? Role::input : Role::output;
      if (!code_.is_word(i) || word == "const" || word.find("restrict") != std::string::npos) continue;
      type += (type.empty() ? "" : " ") + argument.name;
      argument.name = word;
    }
    try {
      argument.type = element_type(trimmed(type));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}, line {}: the parameter {} is {}", file_, line,
                                   printable(argument.name), error.what()));
    }
    return argument;
  }

  std::string file_;
  source::Code code_;
  std::size_t name_token_ = 0;  // token of the function's name
};

// Converts to the nearest number of the type.
template <class T>
T converted(double value) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(
      std::clamp(value, static_cast<double>(Limits::lowest()), static_cast<double>(Limits::max())));
}

// The kernel of an exercise: makes the problem for each setting.
class OwnKernel {
 public:
  OwnKernel(ExerciseFacts facts, const ReferenceText& reference)
      : facts_(std::move(facts)), parameters_(reference.parameters()) {
    refuse_mismatches();
    reference_ = std::make_shared<ReferenceKernel>(reference.as_kernel(), arguments());
  }

  Arguments arguments() const { return Arguments(parameters_); }

  // Throws UsageError for a size beyond its limits.
  Problem problem(const Settings& settings) const {
    const Sizes sizes = sizes_in(settings);
    for (const Option& size : facts_.sizes) {
      const Count& limits = std::get<Count>(size.kind);
      const auto value = static_cast<std::uint64_t>(sizes.at(size.name));
      if (value < limits.min || value > limits.max)
        throw UsageError(fmt::format("--{} {} is not from {} to {}, as exercise.toml asks", size.name, value,
                                     limits.min, limits.max));
    }
    Problem problem;
    for (const std::vector<Option>& options :
         {facts_.sizes, facts_.numbers})  // a demo's heading may have one
      for (const Option& option : options) {
        const double value = sizes.at(option.name);
        problem.description +=
            (problem.description.empty() ? "" : ", ") + option.name + " " +
            (value == std::trunc(value) && value >= 0 ? grouped(static_cast<std::size_t>(value))
                                                      : csv_number(value));
      }
    for (const KernelArgument& argument : parameters_)
      if (argument.is_array())
        problem.arrays.push_back(array(argument, sizes));
      else
        problem.scalars.push_back(scalar(argument, sizes));
    if (!has_named_grid()) static_cast<void>(blocks(sizes));
    if (!facts_.operations.text.empty()) problem.traffic.operations = value(facts_.operations, sizes);
    if (const KernelArgument* named = parameter(array_with_work(problem.arrays)))
      problem.work = WorkOver{{named->name.c_str(), named->type, *named->role}, ""};
    problem.tolerance =
        facts_.tolerance ? Tolerance{*facts_.tolerance, *facts_.tolerance} : usual_tolerance(problem, sizes);
    problem.fill = [this, sizes](Inputs& inputs, std::uint64_t seed) { fill(inputs, seed, sizes); };
    problem.references.plain = [reference = reference_, arrays = problem.arrays, scalars = problem.scalars](
                                   const Inputs& inputs, Outputs& outputs) {
      reference->compute(arrays, scalars, inputs, outputs);
    };
    return problem;
  }

  LaunchShape launch() const {
    const std::string& grid = facts_.grid.text;
    const bool has_rows = problem(default_settings()).work_items().y > 1;
    if (grid == "one thread per pixel" || (grid.empty() && has_rows)) return one_thread_per_pixel;
    if (grid == "one thread per element" || grid.empty()) return one_thread_per_element;
    if (grid == "grid-stride") return resident_blocks;
    return [own = *this](const LaunchRequest& request) {
      return LaunchConfig{.grid = {own.blocks(own.sizes_in(request.settings))},
                          .block = {request.block_size}};
    };
  }

  Settings default_settings() const {
    Settings settings{.options = default_values(facts_.sizes)};
    settings.options.merge(default_values(facts_.numbers));
    if (const auto size = settings.options.extract("size"))
      settings.size = std::get<std::uint64_t>(size.mapped());
    return settings;
  }

 private:
  const KernelArgument* parameter(const std::string& name) const {
    const auto found = std::ranges::find(parameters_, name, &KernelArgument::name);
    return found == parameters_.end() ? nullptr : &*found;
  }

  bool has_named_grid() const {
    const std::string& grid = facts_.grid.text;
    return grid.empty() || grid == "one thread per element" || grid == "one thread per pixel" ||
           grid == "grid-stride";
  }

  unsigned blocks(const Sizes& sizes) const try {
    return whole(facts_.grid, "the number of blocks", sizes);
  } catch (const UsageError& error) {
    throw UsageError(std::string(error.what()) +
                     "; grid is \"one thread per element\", \"one thread per pixel\", \"grid-stride\" or a "
                     "number of blocks, also as an expression of the sizes");
  }

  void refuse_mismatches() const {
    const auto refuse = [&](const std::string& why) { throw UsageError(facts_.file.string() + ": " + why); };
    if (std::ranges::find(parameters_, std::optional(Role::output), &KernelArgument::role) ==
        parameters_.end())
      refuse("reference() writes nothing: no parameter is a pointer without const");
    const KernelArgument* named = parameter(facts_.work);
    const bool is_array = named && named->role;
    if (!facts_.work.empty() && !is_array)
      refuse("reference() has no array '" + printable(facts_.work) + "', which work names");
    std::vector<std::string> arrays, numbers;  // that are no parameters
    const auto add = [&](std::vector<std::string>& names, const std::string& name) {
      if (!parameter(name)) names.push_back(name);
    };
    for (const auto& [name, array] : facts_.arrays) add(arrays, name);
    for (const auto& [name, scalar] : facts_.scalars) add(numbers, name);
    for (const Option& size : facts_.sizes) add(numbers, size.name);
    for (const Option& number : facts_.numbers) add(numbers, number.name);
    const Sizes varied = sizes_in(default_settings());
    for (const KernelArgument& argument : parameters_) {
      if (argument.is_array() && !facts_.arrays.contains(argument.name))
        refuse(fmt::format("[arrays] lacks '{}', a parameter of reference(): {}", argument.name,
                           advice_for(argument.name, arrays, " = { length = \"...\" }")));
      if (!argument.is_array() && !varied.contains(argument.name) && !facts_.scalars.contains(argument.name))
        refuse(fmt::format("neither [scalars] nor [sizes] has '{}', a parameter of reference(): {}",
                           argument.name, advice_for(argument.name, numbers, " = 1 below one of them")));
    }
  }

  // Returns which name of exercise.toml may be meant, or else what to write.
  static std::string advice_for(const std::string& lacking, const std::vector<std::string>& names,
                                const std::string& value) {
    const std::string nearest = nearest_name(lacking, names);
    return nearest.empty() ? "write " + lacking + value
                           : fmt::format("is it '{}', which is no parameter?", nearest);
  }

  // Returns the array that has an element for each thread: the one that the exercise names, or else the
  // longest input vector, if it is at least twice as long as the first output. Returns an empty name if that
  // output has an element for each thread.
  std::string array_with_work(const std::vector<SizedArray>& arrays) const {
    if (!facts_.work.empty()) return facts_.work;
    std::size_t longest = 2 * std::ranges::find(arrays, Role::output, &SizedArray::role)->length - 1;
    std::string name;
    for (const SizedArray& array : arrays)
      if (array.role == Role::input && array.shape.y <= 1 && array.length > longest) {
        name = array.name;
        longest = array.length;
      }
    return name;
  }

  // Returns a tolerance for sums that are added up in any order, if the arrays' lengths or the operations say
  // that an output is the sum of several terms. The error of a sum of n terms of either sign is at most n
  // times the rounding error of the largest partial sum. The error of a sum of positive terms is a random
  // walk: it grows as sqrt(n).
  Tolerance usual_tolerance(const Problem& problem, const Sizes& sizes) const {
    double work = problem.traffic.operations, outputs = std::numeric_limits<double>::max(), largest = 1;
    for (const SizedArray& array : problem.arrays) {
      const auto length = static_cast<double>(array.length);
      if (array.role == Role::output) outputs = std::min(outputs, length);
      if (array.role != Role::input) continue;
      work = std::max(work, length);
      for (const Formula& end : facts_.arrays.at(array.name).range)
        largest *= std::max(1.0, std::abs(value(end, sizes)));
    }
    constexpr Tolerance of_one_term{.relative = 1e-5, .absolute = 1e-6};
    constexpr double epsilon = std::numeric_limits<float>::epsilon();
    const double terms = work / outputs;
    if (terms < 2) return of_one_term;
    return {.relative = std::max(of_one_term.relative, epsilon * std::sqrt(terms)),
            .absolute = std::max(of_one_term.absolute, epsilon * terms * largest)};
  }

  Sizes sizes_in(const Settings& settings) const {
    Sizes sizes;
    for (const Option& size : facts_.sizes)
      sizes[size.name] = static_cast<double>(size.name == "size" ? settings.size : settings.count(size.name));
    for (const Option& number : facts_.numbers) sizes[number.name] = settings.number(number.name);
    return sizes;
  }

  double value(const Formula& formula, const Sizes& sizes) const try {
    return value_of(formula.text, sizes);
  } catch (const UsageError& error) {
    throw UsageError(facts_.place(formula.line) + error.what());
  }

  // Returns a length, or a number of blocks.
  unsigned whole(const Formula& formula, const std::string& what, const Sizes& sizes) const {
    const double whole = value(formula, sizes);
    constexpr double most = std::numeric_limits<std::int32_t>::max();
    if (whole >= 1 && whole <= most && whole == std::trunc(whole)) return static_cast<unsigned>(whole);
    std::string where;
    for (const auto& [size, value] : sizes)
      where += (where.empty() ? " where " : " and ") + size + " is " + csv_number(value);
    throw UsageError(fmt::format("{}{}, '{}', is {}{}; it is a whole number from 1 to 2147483647",
                                 facts_.place(formula.line), what, printable(formula.text), csv_number(whole),
                                 where));
  }

  SizedArray array(const KernelArgument& argument, const Sizes& sizes) const {
    const ArrayFacts& facts = facts_.arrays.at(argument.name);
    SizedArray array{.name = argument.name, .type = argument.type, .role = *argument.role};
    const std::string what = "the length of " + argument.name;
    array.shape.x = whole(facts.length.front(), what, sizes);
    if (facts.length.size() > 1) array.shape.y = whole(facts.length.back(), what, sizes);
    array.length = array.shape.volume();
    if (facts.is_cleared) array.initial_contents = InitialContents::cleared;
    return array;
  }

  ScalarValue scalar(const KernelArgument& argument, const Sizes& sizes) const {
    const auto given = facts_.scalars.find(argument.name);
    const double number =
        given == facts_.scalars.end() ? sizes.at(argument.name) : value(given->second, sizes);
    ScalarValue scalar{argument.name, argument.type};
    with_type(argument.type, [&](auto zero) {
      const auto typed = converted<decltype(zero)>(number);
      std::memcpy(&scalar.bits, &typed, sizeof typed);
    });
    return scalar;
  }

  void fill(Inputs& inputs, std::uint64_t seed, const Sizes& sizes) const {
    std::uint64_t sequence = inputs.count() * seed;
    for (Array& input : inputs) {
      const std::vector<Formula>& range = facts_.arrays.at(input.name()).range;
      const bool is_real = input.type() == ElementType::float32 || input.type() == ElementType::float64;
      const double default_whole_high = input.type() == ElementType::uint8 ? 256 : 100;
      const double default_high = is_real ? 1 : default_whole_high;
      const double low = range.empty() ? 0 : value(range.front(), sizes);
      const double high = range.empty() ? default_high : value(range.back(), sizes);
      with_type(input.type(), [&](auto zero) {
        const auto elements = input.as<decltype(zero)>();
        for (std::size_t i = 0; i < elements.size(); ++i) {
          const double drawn = low + (high - low) * random_float(sequence, i);
          elements[i] = converted<decltype(zero)>(is_real ? drawn : std::floor(drawn));
        }
      });
      ++sequence;
    }
  }

  ExerciseFacts facts_;
  std::vector<KernelArgument> parameters_;
  std::shared_ptr<ReferenceKernel> reference_;
};

}  // namespace

void make_kernel_lesson(const ExerciseFacts& facts, const device::KernelSource& reference, Lesson& lesson) {
  const auto kernel = std::make_shared<OwnKernel>(facts, ReferenceText(reference));
  lesson.problem = [kernel](const Settings& settings) { return kernel->problem(settings); };
  lesson.arguments = kernel->arguments();
  lesson.demands = facts.demands;
  lesson.default_size = kernel->default_settings().size;
  for (const Option& size : facts.sizes)
    if (size.name == "size") {
      const Count& limits = std::get<Count>(size.kind);
      lesson.largest_size = limits.max;
      lesson.counted_size = std::clamp<std::size_t>(lesson.counted_size, limits.min, limits.max);
    } else {
      lesson.options.push_back(size);
    }
  lesson.options.insert(lesson.options.end(), facts.numbers.begin(), facts.numbers.end());
  lesson.variants = {{.name = lesson.solution,
                      .kernel = facts.kernel,
                      .idea = facts.title,
                      .launch = kernel->launch(),
                      .block = {.threads = facts.block}}};
}

double value_of(const std::string& formula, const Sizes& sizes) {
  const auto fail = [&](const std::string& why) {
    throw UsageError(printable(fmt::format("'{}' {}", formula, why)));
  };
  constexpr std::size_t max_length = 200;  // limits the nested brackets, too: each is a recursion
  if (formula.size() > max_length) fail("is longer than 200 letters");
  const source::Code code(formula);
  const auto [value, end] = source::computed_value(code, 0, [&](std::string_view name) {
    const auto size = sizes.find(std::string(name));
    return size == sizes.end() ? std::nullopt : std::optional(size->second);
  });
  if (!value && code.is_word(end)) {
    std::vector<std::string> known;
    for (const auto& [name, size] : sizes) known.push_back(name);
    const std::string name(code.text(end));
    fail((name == trimmed(formula) ? "is not a size; " : "has '" + name + "', which is not a size; ") +
         suggestion(name, known, "[sizes] lists them"));
  }
  if (end < code.size()) fail("makes no sense from '" + formula.substr(code.begin_of(end)) + "' on");
  if (!value)
    fail(std::ranges::count(formula, '(') > std::ranges::count(formula, ')') ? "lacks a closing bracket"
                                                                             : "ends too early");
  if (!std::isfinite(*value)) fail("divides by zero, or is too large");
  return *value;
}

// The confined process in which the reference runs, with its device, module and kernel.
struct ReferenceKernel::ConfinedProcess {
  ConfinedProcess(const device::KernelSource& source, const Signature& signature)
      : simulator(simulator::remote::open_confined(cache, {})),
        stream(simulator->create_stream()),
        module(simulator->compile(source, {.instrumentation = device::Instrumentation::checked})),
        kernel(module->kernel("reference", signature)) {}

  const pid_t owner = ::getpid();
  device::CompileCache cache;
  std::unique_ptr<device::Device> simulator;
  std::unique_ptr<device::Stream> stream;
  std::unique_ptr<device::Module> module;
  std::unique_ptr<device::Kernel> kernel;
};

ReferenceKernel::ReferenceKernel(device::KernelSource source, Arguments arguments)
    : source_(std::move(source)), arguments_(std::move(arguments)) {}
ReferenceKernel::~ReferenceKernel() = default;

// Returns the confined process, and starts it the first time. A fork of this process starts its own:
// otherwise parent and fork would share one connection.
ReferenceKernel::ConfinedProcess& ReferenceKernel::confined_process() {
  const bool is_parents = process_ && process_->owner != ::getpid();
  if (is_parents) static_cast<void>(process_.release());  // its destructor would end the parent's process
  if (!process_) process_ = std::make_unique<ConfinedProcess>(source_, arguments_.signature());
  return *process_;
}

// Makes a plain Error of whatever happens, so that no learner's kernel is blamed.
void ReferenceKernel::compute(const std::vector<SizedArray>& arrays, const std::vector<ScalarValue>& scalars,
                              const Inputs& inputs, Outputs& outputs) try {
  run(confined_process(), arrays, scalars, inputs, outputs);
} catch (const CompileError& error) {
  throw Error(ExitCode::compilation, error.what());
} catch (const Error& error) {
  process_.reset();
  throw Error(error.code() == ExitCode::device ? ExitCode::compilation : error.code(),
              source_.name + ": " + error.what());
}

void ReferenceKernel::run(ConfinedProcess& process, const std::vector<SizedArray>& arrays,
                          const std::vector<ScalarValue>& scalars, const Inputs& inputs,
                          Outputs& outputs) const {
  run::DeviceArrays memory(*process.simulator, *process.stream, arrays, inputs);
  std::vector<std::uint64_t> values;
  for (const KernelArgument& argument : arguments_.list())
    values.push_back(argument.is_array()
                         ? memory.address_of(argument.name)
                         : std::ranges::find(scalars, argument.name, &ScalarValue::name)->bits);
  std::vector<void*> pointers;
  for (std::uint64_t& value : values) pointers.push_back(&value);
  std::string failure;
  try {
    process.simulator->launch(*process.kernel, {}, pointers.data(), *process.stream);
    memory.read_outputs(outputs);
  } catch (const device::DeviceError& error) {
    failure = error.explanation();
    if (error.name() == "CUDA_ERROR_LAUNCH_TIMEOUT")
      failure += "; does its loop end, and are the sizes in exercise.toml small enough for one thread?";
  }
  std::vector<Defect> defects = process.simulator->instruments()->take_defects();
  std::erase_if(defects, [](const Defect& defect) { return defect.is_note; });
  if (!defects.empty())
    failure = explanation_of(by_severity(std::move(defects)).front(),
                             [&](std::uintptr_t address) { return memory.element_at(address); });
  if (!failure.empty()) throw UsageError(failure);
}

}  // namespace gpulab::check
