#include "mpi/launcher.hpp"

#include <cstdlib>

namespace gpulab::mpi {
namespace {

// 0 where there is no such variable, or no number in it.
int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  const long number = text ? std::strtol(text, nullptr, 10) : 0;
  return number > 0 && number < 1 << 24 ? static_cast<int>(number) : 0;
}

bool is_set(const char* variable) {
  return std::getenv(variable) != nullptr;
}

}  // namespace

std::optional<Launcher> find_launcher() {
  if (is_set("OMPI_COMM_WORLD_SIZE"))
    return Launcher{.name = "mpirun (Open MPI)",
                    .rank = number_in("OMPI_COMM_WORLD_RANK"),
                    .processes = number_in("OMPI_COMM_WORLD_SIZE")};
  const bool has_pmi = is_set("PMIX_RANK") || is_set("PMI_RANK");
  if (is_set("SLURM_PROCID") && is_set("SLURM_STEP_ID")) {
    const int tasks = number_in("SLURM_STEP_NUM_TASKS");
    if (tasks > 1)
      return Launcher{.name = "srun",
                      .rank = number_in("SLURM_PROCID"),
                      .processes = tasks,
                      .leads_to_the_others = has_pmi};
    if (number_in("PMI_SIZE") <= 1)
      return std::nullopt;  // more: mpiexec has used srun to start its own helper
  }
  if (has_pmi)
    return Launcher{.name = "mpiexec", .rank = number_in("PMI_RANK"), .processes = number_in("PMI_SIZE")};
  return std::nullopt;
}

void forget_launcher() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    ::unsetenv(variable);
}

}  // namespace gpulab::mpi
