#include "lesson/lesson.hpp"

#include "radio_astronomy/device_steps.hpp"
#include "radio_astronomy/sky_arrays.hpp"
#include "radio_astronomy/sky_problem.hpp"

namespace gpulab::lessons::radio_astronomy {

void whole_pipeline(Execution& run) {
  clip_on_device(run);
  segment_on_device(run, ReadsFrom::earlier_steps);
  label_on_device(run, ReadsFrom::earlier_steps);
  measure_on_device(run, ReadsFrom::earlier_steps);
}

// Blocks of 512 with 32 KiB of shared memory fill the multiprocessors of old and new GPUs.
constexpr BlockSizes whole_warps{.threads = 512, .multiple_of = 32};

Lesson lesson() {
  return {
      .name = "radio-astronomy",
      .title = "Find the sources in a radio image",
      .place = {.episode = 2, .step = 3},
      .page = "Using your GPU with CuPy",
      .options =
          {{.name = "width", .help = "columns of the synthetic sky", .kind = Count{.default_value = 2048}},
           {.name = "height", .help = "rows of the synthetic sky", .kind = Count{.default_value = 2048}},
           {.name = "input",
            .help = "the image, FITS or PNG, in place of the synthetic sky",
            .kind = InputFile{}},
           {.name = "catalogue", .help = "write the sources as CSV", .kind = OutputFile{}},
           {.name = "save", .help = "write a PNG with the sources marked", .kind = OutputFile{".png"}}},
      .sides = {"width", "height"},
      .problem = sky_problem,
      .arguments = {sky, known_noise, mask, size},
      .variants = {{.name = "clipping",
                    .idea = "kappa-sigma clipping, with the median by radix selection",
                    .block = whole_warps,
                    .steps = clip_on_device,
                    .computes = {noise}},
                   {.name = "segmentation",
                    .kernel = "above_5_sigma",
                    .idea = "one thread per pixel, the noise known",
                    .launch = one_thread_per_element,
                    .block = whole_warps,
                    .computes = {mask}},
                   {.name = "labelling",
                    .idea = "connected components by union-find, then numbered in order",
                    .block = whole_warps,
                    .steps = [](Execution& run) { label_on_device(run, ReadsFrom::reference); },
                    .computes = {labels}},
                   {.name = "measurement",
                    .idea = "centre, flux, peak and size by atomics, the labels known",
                    .block = whole_warps,
                    .steps = [](Execution& run) { measure_on_device(run, ReadsFrom::reference); },
                    .computes = catalogue},
                   {.name = "pipeline",
                    .idea = "all four, from the image to the catalogue, without leaving the device",
                    .block = whole_warps,
                    .steps = whole_pipeline},
                   {.name = "clipping-on-chip",
                    .idea = "clipping in a cooperative launch: grid barriers, pixels kept on chip",
                    .block = only_blocks_of(1024),
                    .source = "radio_astronomy_on_chip.cu",
                    .steps = clip_on_chip,
                    .computes = {noise}},
                   {.name = "pipeline-on-chip",
                    .idea = "all four, four pixels a thread, as one CUDA graph: the host never waits",
                    .block = only_blocks_of(1024),
                    .source = "radio_astronomy_on_chip.cu",
                    .steps = find_sources_on_chip,
                    .in_graph = true}},
      .solution = "pipeline"};
}

}  // namespace gpulab::lessons::radio_astronomy
