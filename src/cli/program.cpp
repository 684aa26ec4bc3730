#include <fmt/format.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>

#include "base/files.hpp"
#include "base/output.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "bench/page/page.hpp"
#include "check/check_formats.hpp"
#include "check/judging.hpp"
#include "cli/command.hpp"
#include "cli/lesson_options.hpp"
#include "cli/options.hpp"
#include "cli/program_options.hpp"
#include "program/compiler.hpp"
#include "program/hip.hpp"
#include "program/nvcc.hpp"
#include "program/process.hpp"
#include "run/devices.hpp"
#include "run/documents.hpp"
#include "run/picture/picture.hpp"
#include "source/device_code.hpp"
#include "source/program_files.hpp"

namespace gpulab::cli {
namespace {

constexpr const char* run_footer =
    "The program is compiled in one piece by this machine's C++ compiler and runs on the simulated device: it needs no GPU and no CUDA Toolkit. It reads its own input and may use "
    "the files of the current folder. gpulab reports after the program's output, on stderr. The exit code is the program's, or 1 if it has a defect. A kernel in which no thread returns for 60 s is stopped; GPULAB_TIME_LIMIT sets another number of seconds. Words after -- go to the program: gpulab run matrix_mul.cu -- --n 512. Options of nvcc may stay, as in gpulab run -O3 -arch=sm_80 -lineinfo x.cu: gpulab says which have no effect here, and --device cuda gives them to nvcc.";

TextStyle style_of_stderr() {
  TextStyle style = style_of_stdout();
  if (!::isatty(STDERR_FILENO)) style.colour = false;
  return style;
}

std::string checks_document(const std::string& format, const std::vector<CheckResult>& checks,
                            int exit_code) {
  if (format == "sarif") return check::check_sarif(checks, exit_code);
  if (format == "junit") return check::check_junit(checks, "run");
  if (format == "github") return check::check_github(checks);
  return check::check_gcc(checks);
}

// Adds a note for the worst line of each kernel whose accesses were counted: only the text has tables.
ProgramResult with_costly_lines(ProgramResult result) {
  for (const KernelCounts& kernel : result.report.counts)
    if (const auto costly = costliest_access(kernel.counts))
      result.report.findings.push_back(
          {.pattern = std::string(run::term_of(costly->cost)),
           .is_note = true,
           .place = {costly->accesses.file, costly->accesses.line},
           .text = kernel.kernel + ": " + run::worst_access_words(kernel.counts)});
  return result;
}

std::string document(const ProgramOptions& options, const ProgramResult& result) {
  const TextStyle style = options.output ? TextStyle{} : style_of_stderr();
  if (options.format == "text") {
    std::string text = check::program_text(result, style);
    for (const KernelCounts& counts : result.report.counts)
      if (const std::string pictures =
              options.pictures.in_text
                  ? run::picture::pictures_text(check::as_inspection(result, counts), style)
                  : std::string();
          !pictures.empty())
        text += "\n" + paragraph(counts.kernel, Ink::bold, style) + pictures;
    return text;
  }
  if (options.format == "json") return check::program_json(result);
  if (options.format == "junit") return check::program_junit(result);
  if (options.format == "github") return check::program_github(with_costly_lines(result));
  return checks_document(options.format, check::as_checks(with_costly_lines(result)), result.exit_code());
}

// Returns a page with a part for each kernel.
std::string page_of(const ProgramResult& result) {
  std::vector<bench::page::PicturePart> parts;
  for (const KernelCounts& counts : result.report.counts)
    parts.push_back({.heading = counts.kernel,
                     .is_right = true,
                     .sentences = {run::worst_access_words(counts.counts)},
                     .variant = check::as_inspection(result, counts),
                     .is_costly = costliest_access(counts.counts).has_value()});
  return bench::page::pictures_html(result.file, parts);
}

// Writes the report to its file or to stderr: stdout has the program's own output alone.
void write_report(ReportOutput& output, const std::string& text) {
  if (output.is_file()) return output.write(text);
  tell(text);
  if (std::ferror(stderr) && errno != EBADF) throw_unwritable("to stderr", std::strerror(errno));
}

void tell_what_is_not_confined(sandbox::Mode mode) {
  tell_if_not_confined(mode, "the program");
  if (mode == sandbox::Mode::off) return;
  if (const auto why = program::why_folder_is_refused())
    tell("gpulab: the program may use no file of this folder, since " + *why +
         "; run it in one of its own\n");
}

// Compiles the program and runs it on the simulated device.
ProgramResult simulate(const ProgramOptions& options, const std::vector<source::SourceFile>& sources,
                       const std::optional<program::CapturedRun>& captured = {},
                       const std::vector<std::string>& debugger = {}) {
  const auto begin = std::chrono::steady_clock::now();
  const sandbox::Mode mode = sandbox::mode_of(options.sandbox);
  std::optional<program::GpuCompilation> gpu_compilation;  // runs beside the compilation for the simulator
  if (options.is_inspected)
    gpu_compilation.emplace(sources, options.build, estimate::gpu_of(options.gpu).architecture, mode);
  device::CompileCache cache;
  const auto compiled = [&] {
    Narrator narrator(/*quiet=*/false);
    narrator.progress("compiling " + sources.front().name);
    return program::compile(sources, options.build, options.watch(), mode, cache);
  };
  const program::CompiledProgram program = compiled();
  const bool is_estimated = options.is_inspected && program.warp_size.lanes() == 32;
  const program::GpuCode gpu_code = gpu_compilation ? gpu_compilation->wait() : program::GpuCode{};
  if (!gpu_code.error.empty()) tell("gpulab: nvcc: " + gpu_code.error + "\n");
  ProgramResult result =
      program::run(program, {.watch = options.watch(),
                             .name = "./" + sources.front().path.stem().string(),
                             .arguments = options.arguments,
                             .sandbox = mode,
                             .captured = captured,
                             .debugger = debugger,
                             .gpu = is_estimated ? estimate::text_of_gpu(options.gpu) : std::string(),
                             .gpu_code = gpu_code,
                             .gpus = options.gpus,
                             .samples_blocks = !options.checks_every_block,
                             .remark = options.watch() == ProgramWatch::defects
                                           ? "still running, watched; --plain is faster"
                                           : ""});
  if (is_estimated) result.gpu = estimate::gpu_of(options.gpu).short_name;
  result.instructions = gpu_code.origin;
  for (ProgramFinding& finding : result.report.findings) {
    // A process that ends gives its memory back, so a leak is a defect with --strict only.
    if (finding.pattern == "memory-leak" && !options.is_strict) finding.is_note = true;
    if (options.is_strict && (finding.pattern == "constant-never-set" || finding.pattern == "copy-size" ||
                              finding.pattern == "uninitialised-copy" || finding.pattern == "unset-variable"))
      finding.is_note = false;
    finding.is_allowed = !finding.is_note && is_allowed(finding, options);
    finding.is_note |= finding.is_allowed;
  }
  // A counted program fails by a defect, such as a fault of a kernel, as a watched one does.
  if (options.is_inspected && result.has_report && result.status == 0 && result.has_defect())
    result.status = 1;
  result.file = sources.front().name;
  result.source = sources.front().code.whole();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

void tell_before_run(const ProgramOptions& options) {
  tell_what_is_not_confined(sandbox::mode_of(options.sandbox));
  std::string ignored = options.ignored_nvcc_options;
  for (const std::string& macro : options.build.definitions)
    if (macro.starts_with("CUDA_API_PER_THREAD_DEFAULT_STREAM"))
      ignored +=
          fmt::format("{}-D {} (the default stream is the legacy one)", ignored.empty() ? "" : ", ", macro);
  if (!ignored.empty()) tell("gpulab: ignored: " + ignored + "\n");
}

ExitCode run_simulated(const ProgramOptions& options, ReportOutput& output) {
  const std::vector<source::SourceFile> sources = source::read_sources(options.build);
  ReportOutput page(options.pictures.html);
  tell_before_run(options);
  const ProgramResult result = simulate(options, sources);
  try {
    write_report(output, document(options, result));
  } catch (const Error&) {
    if (output.is_file()) tell(check::program_text(result, style_of_stderr()));
    throw;
  }
  if (options.format == "text" || output.is_file()) tell_what_allows_nothing(result.report, options);
  if (page.is_file()) page.write(page_of(result));
  return static_cast<ExitCode>(result.exit_code());
}

// Returns the error's sentence. If the compiler's first error shows a slip that check knows, the sentence
// says what to write instead.
std::string with_known_slip(const CompileError& error, const ProgramOptions& options) {
  const std::string text = error.what();
  const Failure& failure = error.failure();
  if (failure.line == 0 || failure.complaint.empty() || !text.ends_with(failure.complaint)) return text;
  const source::SourceFile main_file = source::read_sources(options.build).front();
  const check::RefusalInSource slip = check::refusal_in_source(failure, main_file.code);
  return slip.text.empty() ? text : main_file.name + " does not compile: " + slip.text;
}

// Runs the program and shows its output and the report.
void run_and_show(WatchConsole& console, const ProgramOptions& options,
                  const program::CapturedRun& captured) try {
  console.show_activity("running " + options.build.files.front().string());
  console.show(
      [result = simulate(options, source::read_sources(options.build), captured)](const TextStyle& style) {
        return printable_lines(result.output + result.errors) + check::program_text(result, style);
      });
} catch (const WorkStopped&) {  // watch() goes on
} catch (const CompileError& error) {
  console.show_error(
      fmt::format("{}gpulab: {}\n", printable_lines(error.log()), with_known_slip(error, options)));
} catch (const Error& error) {
  console.show_error(std::string("gpulab: ") + error.what() + "\n");
}

// Runs the program again at every save, until q.
ExitCode watch(const ProgramOptions& options) {
  tell_before_run(options);
  std::vector<std::filesystem::path> files;
  std::set<std::filesystem::path> folders;
  for (const source::SourceFile& source : source::read_sources(options.build)) {
    files.push_back(source.path);
    folders.insert(source.path.parent_path());
  }
  SavedFiles saved;
  saved.take_changed(files);
  const FolderEvents events(folders);
  WatchConsole console("q quits, r runs again", /*is_plain=*/false);
  bool is_over = false, has_to_run = true;
  const StopTimer timer([&] {
    is_over = is_over || is_quit(console.pressed());
    has_to_run = has_to_run || !events.saved_of(files, saved).empty();
    return is_over || has_to_run;
  });
  const program::CapturedRun captured{.is_judged = false, .stop = timer.token()};
  while (!is_over) {
    if (std::exchange(has_to_run, false)) run_and_show(console, options, captured);
    if (is_over || has_to_run) continue;  // the run was stopped
    const std::string keys = console.wait(events, saved);
    is_over = is_quit(keys);
    has_to_run = keys.find('r') != std::string::npos || !events.saved_of(files, saved).empty();
  }
  return ExitCode::ok;
}

// Commands for gdb, which stops after the access at fault, or where the kernel cannot go on. is_compiled() is
// true for frames of the program's shared object; is_own() also refuses those of the prelude, such as
// atomics.
constexpr const char* debugger_commands = R"gdb(set breakpoint pending on
set startup-with-shell off
set disable-randomization off
set print thread-events off
set confirm off
python
def is_compiled(frame):
  return "program.so" in (gdb.solib_name(frame.pc()) or "")
def is_own(frame):
  table = frame.find_sal().symtab
  return table and is_compiled(frame) and "prelude.cuh" not in table.filename
def first(test, frame):
  while frame and not test(frame): frame = frame.older()
  return frame
def is_in_kernel(frame):
  return (frame.name() or "").startswith("gpulab_call_body")
def index(name):
  numbers = [str(gdb.parse_and_eval(name + "." + axis)) for axis in "xyz"]
  while len(numbers) > 1 and numbers[-1] == "0": numbers.pop()
  return numbers[0] if len(numbers) == 1 else "(%s)" % ", ".join(numbers)
def tell_of_stops(is_told):
  try: gdb.execute("set suppress-cli-notifications " + ("off" if is_told else "on"))
  except gdb.error: pass  # before version 13
def stop(can_go_on):
  open(stopped, "w").close()
  name = gdb.parse_and_eval("*(char**)&gpulab_name_of_defect").string()
  # Only the report tells the two apart, by the launch's arguments.
  print("DEFECT  %s" % (name + " or out-of-bounds" if name == "host-pointer" else name))
  own = first(is_own, gdb.newest_frame())
  if not own:
    print("found after its thread had returned; gpulab run names the line, and --break LINE stops there")
    return
  own.select()
  if first(is_in_kernel, own):
    print("block %s thread %s in line %d" % (index("blockIdx"), index("threadIdx"), own.find_sal().line))
  if can_go_on:
    first(is_compiled, gdb.newest_frame()).newer().select()
    tell_of_stops(False)
    gdb.execute("finish", to_string=True)
    tell_of_stops(True)
  first(is_own, gdb.newest_frame()).select()
  gdb.execute("frame")
end
python gdb.execute('break gpulab_found_a_defect', to_string=True)
commands
silent
python stop(True)
end
python gdb.execute('break gpulab_ended_by_a_defect', to_string=True)
commands
silent
python stop(False)
end
)gdb";

ExitCode debug(ProgramOptions options) {
  tell_before_run(options);
  options.build.is_debugged = true;
  const std::vector<source::SourceFile> sources = source::read_sources(options.build);
  const source::Code& code = sources.front().code;
  if (const int line = std::atoi(options.breakpoint.c_str()); code.first_from_line(line) == code.size())
    throw UsageError(
        fmt::format("--break: {} has no code in line {} or after it", sources.front().name, line));
  const std::filesystem::path script = device::CompileCache().folder() / "debugger";
  std::vector<std::string> words{"gdb", "-q", "-iex", "set print symbol-loading off", "-x", script.string()};
  if (std::string where = options.breakpoint; !where.empty()) {
    if (where.find_first_not_of("0123456789") != 0)  // a line of the main file
      where.insert(0, options.build.files.front().filename().string() + ":");
    words.insert(words.end(), {"-ex", "break " + where});
  }
  words.insert(words.end(), {"-ex", "run"});
  const std::filesystem::path stopped = script.string() + ".stopped";  // the script makes it at a defect
  replace_file(script, fmt::format("python stopped = '{}'\n{}", stopped.string(), debugger_commands));
  const ProgramResult result = simulate(options, sources, /*captured=*/{}, words);
  if (result.status == Child::cannot_execute)
    throw Error(ExitCode::device, "--debug needs gdb, and there is none; install it (apt-get install gdb)");
  if (result.has_report)  // the program has ended in gdb
    tell(check::program_text(result, style_of_stderr()));
  else
    tell(fmt::format(
        "gpulab: gdb does not stop at races between streams, leaks and sizes of copies; gpulab run {} reports them\n",
        options.build.files.front().string()));
  std::error_code ignored;
  const bool has_stopped = std::filesystem::remove(stopped, ignored);
  return has_stopped || (result.has_report && result.has_defect()) ? ExitCode::wrong_result : ExitCode::ok;
}

void refuse_arguments_among_files(const ProgramOptions& options) {
  for (std::size_t i = 1; i < options.build.files.size(); ++i) {
    const std::filesystem::path& file = options.build.files[i];
    if (file.has_extension() || is_there(file)) continue;
    const std::string first = options.build.files.front().string();
    throw UsageError(
        fmt::format("there is no file {}; arguments of the program follow --: gpulab run {} -- {}",
                    file.string(), first, file.string()));
  }
}

// Returns the errors as findings, which every format can show.
ProgramResult errors_of(const std::string& file, const CompileError& error) {
  ProgramResult result{.file = file, .status = static_cast<int>(error.code())};
  const auto add = [&](const SourcePlace& place, const std::string& text) {
    result.report.findings.push_back({.pattern = check::does_not_compile, .place = place, .text = text});
  };
  if (const auto* const errors = dynamic_cast<const program::TextErrors*>(&error))
    for (const auto& found : errors->all())
      add({.file = found.file, .line = found.line, .column = found.column}, found.text);
  else
    add({.line = error.failure().line}, error.failure().line == 0 || error.failure().complaint.empty()
                                            ? error.what()
                                            : error.failure().complaint);
  return result;
}

// Compiles the program with nvcc and runs it on this machine's GPU.
ExitCode run_on_gpu(const ProgramOptions& options) {
  if (program::is_hip(source::read_sources(options.build)))
    throw UsageError("--device cuda compiles with nvcc, which does not compile HIP");
  run::require_gpu();  // without this, a program that ignores errors would seem to run
  return static_cast<ExitCode>(program::run_with_nvcc(options.build, options.arguments));
}

// Runs the program once. Compile errors name lines and columns of its files, in the report's format.
ExitCode run_once(const ProgramOptions& options, ReportOutput& output) try {
  return mode_of(options) == RunMode::nvcc ? run_on_gpu(options) : run_simulated(options, output);
} catch (const CompileError& error) {
  const std::string file = options.build.files.front().string();
  if (options.format == "text") {
    tell(printable_lines(error.log()));
    if (!dynamic_cast<const source::NotOffered*>(&error) ||
        program::is_hip(source::read_sources(options.build)))
      throw Error(error.code(), with_known_slip(error, options));
    throw Error(error.code(), std::string(error.what()) +
                                  "; with a GPU, this runs it there: gpulab run --device cuda" +
                                  options.typed);
  }
  write_report(output, document(options, errors_of(file, error)));
  return error.code();
} catch (const Error& error) {
  const std::string file = options.build.files.front().string();
  const int code = static_cast<int>(error.code());
  constexpr const char* not_checked = "not-checked";
  if (options.format == "json")
    write_report(output, check::program_json(
                             {.file = file,
                              .status = code,
                              .report = {.findings = {{.pattern = not_checked, .text = error.what()}}}}));
  else if (options.format != "text")
    write_report(output, checks_document(options.format,
                                         {{.file = file,
                                           .verdict = Verdict::not_checked,
                                           .pattern = not_checked,
                                           .summary = error.what(),
                                           .is_program = true}},
                                         code));
  throw;
}

ExitCode run_in_mode(const ProgramOptions& options) {
  refuse_options_that_exclude_others(options);
  refuse_arguments_among_files(options);
  refuse_unknown_kinds(options.allowed);
  if (options.gpu.find(',') != std::string::npos)
    throw UsageError(fmt::format(
        "run predicts for one GPU, and --gpu {} names several; run it once for each: only gpulab estimate LESSON compares GPUs",
        options.gpu));
  if (options.gpu != default_gpu)
    estimate::gpu_of(options.gpu);  // throws for an unknown name, also without --inspect
  const RunMode mode = mode_of(options);
  if (mode == RunMode::watch && ::isatty(STDIN_FILENO) == 0)
    throw UsageError("--watch needs a terminal, where q ends it; leave it out in a script");
  if (mode == RunMode::watch) return watch(options);
  if (mode == RunMode::debug) return debug(options);
  ReportOutput output(options.output);
  return run_once(options, output);
}

}  // namespace

void add_run(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("run", "run a whole CUDA or HIP program on the simulated device");
  command->footer(run_footer);
  auto options = std::make_shared<ProgramOptions>();
  options->build.may_use_toolkit = true;
  add_value(*command, "file", options->build.files, "FILE", "the program's files: .cu, .cpp, .hip")
      ->required();
  command->add_flag("--plain", options->is_plain,
                    "do not watch it: it runs as fast as the simulated device can");
  command->add_flag("--every-block", options->checks_every_block,
                    "look for races in every block of large launches, too");
  command->add_flag(
      "--strict", options->is_strict,
      "memory that is never freed, constants that are never set, and copies of elements that nobody has written or of a part of an array, are defects, too");
  add_value(*command, "--allow", options->allowed, "KIND[:[FILE:]LINE]",
            "report a known finding as a note: race-host, race-host:14 or race-host:reader.cuh:14");
  command->add_flag("--inspect", options->is_inspected, "say what each line of each kernel asks of memory");
  add_gpu_option(*command, options->gpu);
  add_warp_size_option(*command, options->build.warp_size, "64 for HIP, else 32");
  add_value(*command, "--gpus", options->gpus, "N", "the number of simulated devices")
      ->check(a_whole_number_in(1, program::max_devices));
  add_picture_options(*command, options->pictures, "with --inspect, draw which memory a warp touches");
  command->add_flag("--watch", options->is_watching, "run it again at every save (q: quit, r: run again)");
  command->add_flag("--debug", options->is_debugged, "run it in gdb, which stops where a defect is found");
  add_value(*command, "--break", options->breakpoint, "WHERE",
            "with --debug, stop here, too: '7 if threadIdx.x == 3'");
  add_choice(*command, "--device", options->device,
             "where it runs; with cuda on this machine's GPU, compiled by nvcc", {"simulator", "cuda"});
  add_value(*command, "-I", options->build.include_folders, "DIR", "a folder with headers of the program");
  add_value(*command, "-D", options->build.definitions, "NAME=VALUE", "a macro for the program");
  add_value(*command, "-U", options->build.undefined, "NAME", "a macro to leave undefined");
  add_value(*command, "--pre-include", options->build.included_before, "FILE",
            "a header that each file begins with (nvcc's -include)");
  add_value(*command, "-l", options->build.libraries, "NAME", "a library of this machine to link");
  add_value(*command, "-L", options->build.library_folders, "DIR", "a folder with libraries");
  add_choice(*command, "--std", options->build.standard, "the C++ standard; an older one is read as c++17",
             {"c++17", "c++20", "c++23", "c++14", "c++11", "c++03"});
  add_choice(
      *command, "--sandbox", options->sandbox,
      "confine the program to this folder's files; with auto as far as this machine can, with require fully or not at all",
      {"auto", "require", "off"});
  add_choice(*command, "--format", options->format, "how the report is written",
             {"text", "json", "sarif", "junit", "github", "gcc"});
  add_value(
      *command, "--output", options->output, "FILE",
      "write the report here, not to stderr; without --format a name that ends with .json, .xml or .sarif says how");
  command->callback([&context, command, options] {
    take_unparsed_words(context.words, *options);
    if (command->count("--gpu") > 0 && !options->is_inspected)
      throw UsageError("--gpu predicts the times that --inspect shows: add --inspect");
    if (command->count("--format") == 0)
      options->format =
          format_of_output("", options->output, {{".json", "json"}, {".sarif", "sarif"}, {".xml", "junit"}});
    context.action = [options] { return run_in_mode(*options); };
  });
}

}  // namespace gpulab::cli
