#include "core/lesson.hpp"

#include "radio_astronomy/device_steps.hpp"
#include "radio_astronomy/sky_problem.hpp"

namespace gpulab::lessons {
namespace {

using radio::Uses;

void whole_pipeline(Execution& run) {
  radio::clip_on_device(run);
  radio::segment_on_device(run, Uses::results);
  radio::label_on_device(run, Uses::results);
  radio::measure_on_device(run, Uses::results);
}

// Blocks of 512 with 32 KiB of shared memory fill the multiprocessors of old GPUs and new.
constexpr BlockSizes whole_warps{.threads = 512, .multiple_of = 32};

}  // namespace

Lesson radio_astronomy() {
  return {.name = "radio-astronomy",
          .title = "Find the sources in a radio image",
          .place = {.episode = 2, .step = 3},
          .page = "Using your GPU with CuPy",
          .text =
              R"(A radio image is noise with sources in it. Kappa-sigma clipping finds the
noise: it drops what is further than 3 sigma from the median, again and again
until nothing more goes. Pixels above 5 sigma of what is left belong to a
source; those that share an edge get the same label. The sum of a source's
pixels is its flux, and their mean place, weighted by intensity, its centre.
The course does these steps with SciPy and CuPy; here each is some kernels.
The median is found digit by digit, by histograms in shared memory, without
sorting; labels by a forest in which every pixel joins two neighbours;
sums by atomics. Only clipping waits for the host, which asks after every
round whether anything went. Noise alone puts 1.2 of 2048 x 2048 independent
pixels above 5 sigma on average, so that most catalogues have a false
source.)",
          .kernels = "radio_astronomy.cu",
          .options = {{.name = "width", .help = "columns of the synthetic sky", .kind = Count{.default_value = 2048}},
                      {.name = "height", .help = "rows of the synthetic sky", .kind = Count{.default_value = 2048}},
                      {.name = "input",
                       .help = "the image, FITS or PNG, in place of the synthetic sky",
                       .kind = InputFile{}},
                      {.name = "catalogue", .help = "write the sources as CSV", .kind = OutputFile{}},
                      {.name = "save", .help = "write a PNG with the sources marked", .kind = OutputFile{}}},
          .problem = radio::sky_problem,
          .variants = {{.name = "clipping",
                        .idea = "the noise: median by radix selection, sigma, bounds; until no value goes",
                        .block = whole_warps,
                        .steps = radio::clip_on_device,
                        .computes = {"noise"}},
                       {.name = "segmentation",
                        .kernel = "above_5_sigma",
                        .idea = "one thread per pixel, the noise known",
                        .launch = one_thread_per_element,
                        .block = whole_warps,
                        .computes = {"mask"}},
                       {.name = "labelling",
                        .idea = "pixels joined with their neighbours by union-find, then numbered in order",
                        .block = whole_warps,
                        .steps = [](Execution& run) { radio::label_on_device(run, Uses::known); },
                        .computes = {"labels"}},
                       {.name = "measurement",
                        .idea = "centre, flux, peak and size by atomics, the labels known",
                        .block = whole_warps,
                        .steps = [](Execution& run) { radio::measure_on_device(run, Uses::known); },
                        .computes = {"x", "y", "flux", "peak", "pixels"}},
                       {.name = "pipeline",
                        .idea = "all four, from the image to the catalogue, without leaving the device",
                        .block = whole_warps,
                        .steps = whole_pipeline}},
          .solution = "pipeline"};
}

}  // namespace gpulab::lessons
