// expect: all of it works
// No attack: calls that programs of books and courses make, and that are allowed.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

namespace fs = std::filesystem;

#define NEED(what) \
  if (!(what)) return printf("line %d: %s\n", __LINE__, #what), 1

static std::atomic<int> alarms;

int main(int, char** words) {
  std::ofstream("a.txt") << "text\n";
  fs::create_directories("x/y");
  NEED(fs::copy_file("a.txt", "x/y/b.txt"));
  fs::rename("x/y/b.txt", "x/c.txt");
  NEED(fs::file_size("x/c.txt") == 5);
  NEED(std::distance(fs::recursive_directory_iterator("x"), fs::recursive_directory_iterator()) == 2);
  fs::resize_file("x/c.txt", 2);
  NEED(fs::remove_all("x") == 3);
  char name[] = "temporaryXXXXXX";
  const int file = mkstemp(name);
  NEED(file >= 0 && ftruncate(file, 4096) == 0);
  void* const mapped = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  NEED(mapped != MAP_FAILED && msync(mapped, 4096, MS_SYNC) == 0);
  NEED(flock(file, 2) == 0 && unlink(name) == 0 && truncate("a.txt", 1) == 0);
  struct stat facts;
  NEED(stat("a.txt", &facts) == 0 && access("a.txt", R_OK) == 0 && !isatty(file));
  std::random_device seed;
  std::vector<int> numbers(10'000);
  for (int& number : numbers) number = static_cast<int>(seed() % 100);
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < numbers.size(); ++i) sum += numbers[i];
  NEED(sum > 0);
  int one = 0;
  std::thread([&] { one = 1; }).join();
  NEED(one == 1 && std::async(std::launch::async, [] { return 7; }).get() == 7);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  signal(SIGALRM, [](int) { ++alarms; });
  const itimerval soon{{0, 0}, {0, 1000}};
  NEED(setitimer(ITIMER_REAL, &soon, nullptr) == 0);
  while (alarms == 0) usleep(1000);
  signal(SIGUSR1, [](int) { ++alarms; });
  NEED(raise(SIGUSR1) == 0 && kill(getpid(), SIGUSR1) == 0 && alarms == 3);
  rusage usage;
  rlimit limit;
  NEED(getrusage(RUSAGE_SELF, &usage) == 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0 && setrlimit(RLIMIT_NOFILE, &limit) == 0);
  cpu_set_t all, first;
  NEED(sched_getaffinity(0, sizeof all, &all) == 0);
  CPU_ZERO(&first);
  for (int cpu = 0; CPU_COUNT(&first) == 0; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &first);
  NEED(pthread_setaffinity_np(pthread_self(), sizeof first, &first) == 0);
  NEED(pthread_setname_np(pthread_self(), "name") == 0);
  const std::time_t now = std::time(nullptr);
  NEED(std::localtime(&now) && std::clock() >= 0 && fs::current_path() == fs::canonical("."));
  int ends[2];
  NEED(pipe(ends) == 0 && write(ends[1], "x", 1) == 1 && dup2(ends[0], 50) == 50);
  NEED(fcntl(50, F_SETFL, O_NONBLOCK) == 0);
  NEED(std::system("true") != 0 && !fopen("/etc/passwd", "r"));
  NEED(std::ifstream("/proc/cpuinfo") && std::ifstream("/proc/self/status") && words[0]);
  puts("all of it works");
}
