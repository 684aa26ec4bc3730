#include "program/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <utility>

#include "base/output.hpp"
#include "base/process.hpp"
#include "base/terminal_text.hpp"
#include "base/text.hpp"
#include "device/compile_cache.hpp"
#include "program/further_findings.hpp"
#include "program/hip.hpp"
#include "simulator/remote/channel.hpp"
#include "simulator/watch/kernel_fault.hpp"
#include "source/program_findings.hpp"

namespace gpulab::program {
namespace {

namespace fs = std::filesystem;

using simulator::remote::Channel;
using simulator::remote::Reader;
using simulator::remote::WaitLimits;
using simulator::remote::Writer;

constexpr const char* purpose = "cannot run the program in a process of its own";

// Returns a confined program's input. A terminal is opened again for reading only, and a socket is replaced
// by an empty file. Otherwise the program could write to them, and change the shell's terminal.
Descriptor input_of_confined() {
  struct stat input {};
  if (::isatty(STDIN_FILENO)) return Descriptor(::open("/proc/self/fd/0", O_RDONLY | O_NOCTTY | O_CLOEXEC));
  if (::fstat(STDIN_FILENO, &input) == 0 && S_ISSOCK(input.st_mode))
    return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return Descriptor();
}

// A program's standard files. They are pipes if its output is captured, or if it is confined and writes to a
// terminal. Otherwise they are this process's own.
class StandardFiles {
 public:
  StandardFiles(bool is_captured, bool is_confined) : is_captured_(is_captured) {
    if (is_captured)
      input_ = make_pipe_for(purpose).reader;  // at end of file
    else if (is_confined)
      input_ = input_of_confined();
    const bool is_shown = !is_captured && is_confined;
    if (is_captured || (is_shown && ::isatty(STDOUT_FILENO))) output_ = make_pipe_for(purpose);
    if (is_captured || (is_shown && ::isatty(STDERR_FILENO))) errors_ = make_pipe_for(purpose);
  }

  // Returns the program's descriptors. Outputs that are both shown share a pipe, which keeps their order.
  std::array<int, 3> program_descriptors() const {
    const Descriptor& errors =
        is_output_shown() && errors_.writer.is_open() ? output_.writer : errors_.writer;
    return {input_.is_open() ? input_.number() : STDIN_FILENO,
            output_.writer.is_open() ? output_.writer.number() : STDOUT_FILENO,
            errors.is_open() ? errors.number() : STDERR_FILENO};
  }
  void close_program_ends() {
    for (Descriptor* const end : {&input_, &output_.writer, &errors_.writer}) end->close();
  }
  bool is_output_shown() const { return !is_captured_ && output_.reader.is_open(); }
  int output() const { return output_.reader.number(); }
  int errors() const { return errors_.reader.number(); }

 private:
  bool is_captured_;
  Descriptor input_;
  Pipe output_, errors_;
};

std::vector<ResourceLimit> limits_of_judged(double time_limit_s) {
  const auto max_cpu_s = static_cast<std::size_t>(std::ceil(time_limit_s)) * 64;  // of up to 64 threads
  constexpr std::size_t addresses = std::size_t{128} << 30;  // more address space than the device reserves
  return {{RLIMIT_CPU, max_cpu_s, max_cpu_s}, {RLIMIT_AS, addresses, addresses}, {RLIMIT_CORE, 0, 0}};
}

// Makes the kernel kill the program first when memory runs out, not other processes of its user.
bool be_killed_first() {
  const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  write_all(score, "1000");  // if this fails, all processes rank alike
  return true;
}

Child start(int socket, const StandardFiles& files, const RunOptions& options) {
  const std::optional<CapturedRun>& captured = options.captured;
  const bool is_debugged = !options.debugger.empty();
  std::vector<std::string> words = options.debugger;
  words.insert(words.end(), {"--args", sandbox::own_program().string(), program_word});
  return Child({.error_prefix = purpose,
                .program = is_debugged ? words : std::vector<std::string>{"gpulab", program_word},
                .file = is_debugged ? "" : own_file,
                .files = files.program_descriptors(),
                .inherited = socket,
                .inherited_as = programs_socket,
                .lifetime = captured ? ChildLifetime::own_session : ChildLifetime::tied,
                .limits = captured && captured->is_judged ? limits_of_judged(captured->time_limit_s)
                                                          : std::vector<ResourceLimit>{},
                .prepare = be_killed_first});
}

// Handlers of keyboard signals. The program is in this process's group, so the terminal sends each signal to
// both, and both stop and continue together. If another process sends a signal to this process alone, the
// handler passes it on. The program may handle the first signal; a stopped program is continued, so that it
// can. A second signal kills the program. `timeout` sends each signal twice at once, to this process and to
// its group, so signals within half a second count as one.
class KeyboardSignals {
 public:
  KeyboardSignals() {
    struct sigaction action {};
    action.sa_sigaction = &on_signal;
    action.sa_flags = SA_SIGINFO;
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &before_[i]);
    struct sigaction ignoring {};
    ignoring.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignoring, &before_of_pipe_);
  }
  ~KeyboardSignals() {
    program_ = 0;
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
    ::sigaction(SIGPIPE, &before_of_pipe_, nullptr);
  }
  KeyboardSignals(const KeyboardSignals&) = delete;
  KeyboardSignals& operator=(const KeyboardSignals&) = delete;

  static void set_program(pid_t program) { program_ = program; }

 private:
  static void on_signal(int signal, siginfo_t* info, void*) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const auto ms = static_cast<long>(now.tv_sec * 1000 + now.tv_nsec / 1'000'000);
    const long since_first_ms = first_ms_ == 0 ? 0 : ms - first_ms_;
    if (first_ms_ == 0) first_ms_ = ms;
    if (program_ <= 0) return;
    constexpr long at_once_ms = 500;
    const bool is_from_terminal = info->si_code == SI_KERNEL;  // the terminal sends it to the program, too
    if (!is_from_terminal && since_first_ms == 0) ::kill(program_, signal);
    ::kill(program_, since_first_ms > at_once_ms ? SIGKILL : SIGCONT);
  }

  static constexpr std::array<int, 3> signals{SIGINT, SIGQUIT, SIGTERM};
  std::array<struct sigaction, 3> before_{};
  struct sigaction before_of_pipe_ {};
  static inline volatile sig_atomic_t program_ = 0;
  static inline volatile long first_ms_ = 0;
};

// Returns those lines of a chain of inlined calls that are in the program's own files, not in headers.
std::string own_lines_of(const std::string& chain, const std::vector<source::SourceFile>& sources) {
  std::string own_lines;
  for (const std::string& line : lines_of(chain))
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (line.starts_with(fs::path(source::build_path_of(sources, i)).filename().string() + ":")) {
        own_lines += (own_lines.empty() ? "" : "\n") + line;
        break;
      }
  return own_lines;
}

std::string lines_for(Reader& question, const CompiledProgram& program) {
  constexpr std::size_t max_offsets = 10'000;
  const auto offsets = question.last<std::vector<std::uintptr_t>>();
  if (offsets.size() > max_offsets) throw simulator::remote::BadMessage();
  std::vector<std::string> lines = simulator::watch::found_lines(program.shared_object.string(), offsets);
  for (std::string& line : lines) line = own_lines_of(line, program.sources);
  return Writer()(lines).take();
}

// Answers one message. Returns false when the other end is closed. A process sends one report.
bool answer(const Channel& channel, const CompiledProgram& program, const WaitLimits& limits,
            ProgramResult& result) {
  constexpr std::size_t max_bytes = std::size_t{1} << 28;
  std::optional<std::string> message = channel.receive(max_bytes, limits);
  if (!message) return false;
  Reader reader(std::move(*message));
  if (reader.next<FromProgram>() == FromProgram::asks_for_lines)
    return channel.send(lines_for(reader, program), /*file=*/-1, limits);
  if (std::exchange(result.has_report, true)) throw simulator::remote::BadMessage();
  result.report = read_report(reader);
  return channel.send(Writer()(/*has_arrived=*/true).take(), /*file=*/-1, limits);
}

// A sink for the program's output, which comes in pieces.
using Sink = std::function<void(std::string_view)>;

// Reads what is available. Returns false when no more will come.
bool read_piece(int pipe, const Sink& sink) {
  std::string piece;
  const bool is_open = read_more(pipe, piece) > 0;
  sink(piece);
  return is_open;
}

Sink terminal_sink(int terminal, TerminalText& text, RemarkWhileRunning& remark) {
  return [terminal, &text, &remark](std::string_view piece) {
    const std::string shown = piece.empty() ? text.rest() : text.shown(piece);
    if (!shown.empty()) remark.clear_before(shown);
    write_all(terminal, shown);
  };
}

// Answers messages and reads output until the program has closed all its connections. Returns the limit that
// the program met first. A program that is not judged may take its time, except in the middle of a message.
ProgramLimit serve(int socket, const Channel& channel, const StandardFiles& files,
                   const CompiledProgram& program, const RunOptions& options, pid_t process,
                   ProgramResult& result) {
  constexpr std::size_t max_output = std::size_t{1} << 20;
  constexpr double max_message_s = 30;
  TerminalText text;
  const std::optional<CapturedRun>& captured = options.captured;
  const bool is_captured = captured.has_value();
  // A remark is erased before the program's output, so it is shown only if all output passes this process.
  const bool writes_all = files.errors() >= 0 && (files.output() >= 0 || !::isatty(STDOUT_FILENO));
  RemarkWhileRunning remark(is_captured || !writes_all ? "" : options.remark, process);
  const auto added_to = [](std::string& all) { return [&](std::string_view piece) { all.append(piece); }; };
  const Sink output = is_captured ? added_to(result.output) : terminal_sink(STDOUT_FILENO, text, remark);
  const Sink errors = is_captured ? added_to(result.errors) : terminal_sink(STDERR_FILENO, text, remark);
  const StopToken stop = is_captured ? captured->stop : StopToken{};
  std::optional<TimeLimit> limit;
  if (is_captured && captured->is_judged) limit.emplace(captured->time_limit_s, process);
  std::array<pollfd, 4> polled{{{socket, POLLIN, 0},
                                {files.output(), POLLIN, 0},
                                {files.errors(), POLLIN, 0},
                                {stop.descriptor, POLLIN, 0}}};
  auto& [messages, output_pipe, error_pipe, stop_pipe] = polled;
  while (messages.fd >= 0 || output_pipe.fd >= 0 || error_pipe.fd >= 0) {
    const int poll_ms = limit ? limit->next_slice_ms() : remark.poll_ms();
    if (poll_ms == 0) return ProgramLimit::time;
    for (pollfd& descriptor : polled) descriptor.revents = 0;
    const int ready = ::poll(polled.data(), polled.size(), poll_ms);
    if (ready < 0) continue;
    if (ready == 0 && !limit) remark.show_if_long();
    if (stop_pipe.revents && stop.requested()) throw WorkStopped();
    TimeLimit message_limit(max_message_s);
    if (messages.revents && !answer(channel, program, {limit ? *limit : message_limit, stop}, result))
      messages.fd = -1;
    if (output_pipe.revents && !read_piece(files.output(), output)) output_pipe.fd = -1;
    if (error_pipe.revents && !read_piece(files.errors(), errors)) error_pipe.fd = -1;
    if (result.output.size() + result.errors.size() > max_output) return ProgramLimit::output;
  }
  return ProgramLimit::none;
}

std::string whole_text_of(const std::vector<source::SourceFile>& sources) {
  std::string text;
  for (const source::SourceFile& source : sources) text += source.code.whole() + "\n";
  return text;
}

}  // namespace

std::optional<std::string> why_folder_is_refused() {
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  const auto contains = [&](const fs::path& path) {
    const fs::path relative = fs::weakly_canonical(path, failed).lexically_relative(here);
    return !path.empty() && !relative.empty() && *relative.begin() != "..";
  };
  const char* const home = std::getenv("HOME");
  if (failed) return "it cannot be read";
  if (home && contains(home)) return "your home folder is in it";
  if (contains(device::CompileCache().folder())) return "the cache of gpulab is in it";
  return std::nullopt;
}

ProgramResult run(const CompiledProgram& program, const RunOptions& options) {
  sandbox::check_support(options.sandbox);
  if (rlimit files{}; ::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur <= programs_socket)
    throw Error(ExitCode::device, "cannot run the program in a process of its own: only " +
                                      std::to_string(files.rlim_cur) +
                                      " files may be open at once; allow more (ulimit -n 1024)");
  std::fflush(nullptr);
  auto [own, programs] = make_sockets_for(purpose);
  const int socket = own.number();
  std::optional<KeyboardSignals> signals;
  if (!options.captured) signals.emplace();
  const bool is_debugged = !options.debugger.empty();
  StandardFiles files(options.captured.has_value(), options.sandbox != sandbox::Mode::off && !is_debugged);
  Child child = start(programs.number(), files, options);
  programs.close();
  Channel channel(std::move(own));
  if (!is_debugged) KeyboardSignals::set_program(child.id());
  files.close_program_ends();
  const CapturedRun captured = options.captured.value_or(CapturedRun{.is_judged = false});
  ProgramResult result{.watch = options.watch, .warp_size = program.warp_size.lanes()};
  channel.send(written_request({.sandbox = std::string(sandbox::name_of(options.sandbox)),
                                .shared_object = program.shared_object.string(),
                                .main_file = program.main_file,
                                .text = whole_text_of(program.sources),
                                .kernels = program.kernels,
                                .watch = options.watch,
                                .name = options.name,
                                .arguments = options.arguments,
                                .is_judged = captured.is_judged,
                                .time_limit_s = captured.time_limit_s,
                                .may_use_folder = !why_folder_is_refused(),
                                .is_output_shown = files.is_output_shown(),
                                .reports_copied_data = captured.reports_copied_data,
                                .failing_call = captured.failing_call,
                                .gpu = options.gpu,
                                .gpu_code = options.gpu_code,
                                .warp_size = program.warp_size.lanes(),
                                .gpus = options.gpus,
                                .samples_blocks = options.samples_blocks}));
  try {
    result.limit = serve(socket, channel, files, program, options, child.id(), result);
  } catch (const simulator::remote::OutOfTime&) {
    result.limit = ProgramLimit::time;
  } catch (const simulator::remote::BadMessage&) {
    result.limit = ProgramLimit::message;
  }
  if (result.limit != ProgramLimit::none) result.has_report = false;
  channel = Channel();               // closes the socket, so that the program does not wait for an answer
  constexpr double max_exit_s = 20;  // from when the program has closed all its connections to its exit
  if (options.captured && result.limit == ProgramLimit::none && !child.ends_within(max_exit_s, captured.stop))
    result.limit = ProgramLimit::time;
  const ExitStatus status = result.limit == ProgramLimit::none ? child.wait() : child.kill();
  result.signal = status.signal();
  result.status = status.code();
  if (options.watch == ProgramWatch::defects) add_further_findings(program, options, result);
  result.is_hip = is_hip(program.sources);
  if (result.is_hip) translate_to_hip(result.report);
  if (result.warp_size == WarpSize::max_lanes && options.watch == ProgramWatch::defects)
    add_advice_for_64_lanes(program.sources, result.report);
  source::find_source_lines(program.sources, result.report, program.discarded_results);
  return result;
}

namespace {

// These functions read the members from a Reader, or write them to a Writer, in the same order.
template <class Archive, class T, class Each>
void visit_list(Archive& archive, T& elements, const Each& each) {
  std::size_t count = elements.size();
  archive(count);
  if constexpr (std::is_same_v<Archive, Reader>) {
    constexpr std::size_t max_elements = 1'000'000;
    if (count > max_elements) throw simulator::remote::BadMessage();
    for (; count > 0; --count) each(elements.emplace_back());
  } else {
    for (auto& element : elements) each(element);
  }
}

template <class Archive, class Place>
void visit_place(Archive& archive, Place& place) {
  archive.text(place.file);
  archive(place.line);
  archive(place.column);
  visit_list(archive, place.callers, [&](auto& caller) {
    archive.text(caller.file);
    archive(caller.line);
  });
}

template <class Archive, class Request>
void visit_request(Archive& archive, Request& request) {
  archive(request.sandbox, request.shared_object, request.main_file, request.text, request.kernels,
          request.watch, request.name, request.arguments, request.is_judged, request.time_limit_s,
          request.may_use_folder, request.is_output_shown, request.reports_copied_data, request.failing_call,
          request.gpu, request.gpu_code.files, request.gpu_code.ptx, request.gpu_code.reports,
          request.warp_size, request.gpus, request.samples_blocks);
}

template <class Archive, class Report>
void visit_report(Archive& archive, Report& report) {
  visit_list(archive, report.findings, [&](auto& finding) {
    for (auto* text : {&finding.pattern, &finding.text, &finding.correction, &finding.call})
      archive.text(*text);
    archive(finding.is_note, finding.count, finding.premise, finding.lanes_have_returned);
    visit_place(archive, finding.place);
    visit_list(archive, finding.others, [&](auto& other) {
      visit_place(archive, other.place);
      archive.text(other.text);
      archive.text(other.call);
    });
  });
  visit_list(archive, report.counts, [&](auto& counts) {
    archive.text(counts.kernel);
    archive(counts.launches, counts.counts);
    visit_list(archive, counts.predicted, [&](auto& predicted) {
      archive(predicted.config, predicted.launches, predicted.seconds, predicted.low_s, predicted.high_s,
              predicted.limiter, predicted.is_guessed);
      archive.text(predicted.why_not);
      if (predicted.launches == 0 || predicted.low_s <= 0 || !std::isfinite(predicted.low_s) ||
          !std::isfinite(predicted.high_s))
        throw simulator::remote::BadMessage();
    });
  });
  visit_list(archive, report.timeline, [&](auto& entry) {
    archive.text(entry.name);
    archive(entry.stream, entry.start_s, entry.end_s, entry.bytes, entry.kind, entry.is_pageable,
            entry.is_implicit_wait);
    visit_place(archive, entry.place);
  });
  visit_list(archive, report.measured, [&](auto& measured) {
    archive(measured.start_s, measured.end_s, measured.milliseconds);
    visit_place(archive, measured.place);
  });
  archive(report.launches, report.calls, report.recorded_blocks, report.sampled_blocks, report.sent,
          report.brought_back);
}

bool is_pattern(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char letter) {
    return letter == '-' || (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
  });
}

}  // namespace

std::string written_request(const ProgramRequest& request) {
  Writer writer;
  visit_request(writer, request);
  return writer.take();
}

ProgramRequest read_request(Reader message) {
  ProgramRequest request;
  visit_request(message, request);
  return request;
}

std::string written_report(const ProgramReport& report) {
  Writer writer;
  writer(FromProgram::reports);
  visit_report(writer, report);
  return writer.take();
}

ProgramReport read_report(Reader& message) {
  ProgramReport report;
  visit_report(message, report);
  if (!message.is_at_end() || !std::ranges::all_of(report.findings, is_pattern, &ProgramFinding::pattern))
    throw simulator::remote::BadMessage();
  return report;
}

}  // namespace gpulab::program
