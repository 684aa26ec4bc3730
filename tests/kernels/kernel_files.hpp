#pragma once

#include "device/device.hpp"
#include "lesson/lesson.hpp"
#include "test.hpp"

namespace gpulab {

// Every file in kernels/, whether the lessons say that no compiler takes it, and which GPUs it needs if it
// has no kernel for others.
struct KernelFileCase {
  device::KernelSource source;
  bool must_compile = true;
  std::optional<GpuNeed> needs = {};
  bool has_race = false;  // in a variant that is wrong on purpose
};

// Whether the lesson expects this at its usual settings.
inline bool fails_to_compile(const Lesson& lesson, const Variant& variant) {
  const Settings settings = lesson.default_settings();
  const Problem problem = lesson.problem(settings);
  return variant.expects.at({.settings = settings,
                             .work = {static_cast<unsigned>(lesson.default_size)},
                             .block_size = variant.block.threads,
                             .problem = &problem}) == Outcome::fails_to_compile;
}

inline std::vector<KernelFileCase> all_kernel_files() {
  std::vector<KernelFileCase> files;
  for (const EmbeddedFile& file : embedded_kernels()) {
    KernelFileCase row{{file.name, file.text}};
    if (row.source.text.find("\nint main(") != std::string::npos) continue;  // a whole program
    bool runs_anywhere = false;
    for (const Lesson& lesson : all_lessons())
      for (const Variant& variant : lesson.variants)
        if (variant.source == file.name) {
          if (fails_to_compile(lesson, variant)) row.must_compile = false;
          row.needs = variant.needs;
          row.has_race |= variant.races;
          runs_anywhere |= !variant.needs;
        }
    if (runs_anywhere) row.needs.reset();
    files.push_back(row);
  }
  return files;
}

// "streams.cu" as a part of a test's name.
inline std::string test_name(const device::KernelSource& source) {
  return source.name.substr(0, source.name.find('.'));
}

}  // namespace gpulab
