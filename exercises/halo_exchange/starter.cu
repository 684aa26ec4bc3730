// output(x, y) = the sum over i, j in [0, side) of
//   filter(i, j) * image(x + i - side / 2, y + j - side / 2),
// computed several times in a row, each time from the result before
//
// Several ranks have divided the rows of the image among them. Each keeps its
// own rows between two halos:
//
//   halo rows         the last own rows of the rank above
//   own rows          what this rank computes
//   halo rows         the first own rows of the rank below
//
// take_halos fills both halos of one rank, after all ranks have computed their
// own rows:
//
//   rows              the rows of this rank, which begin with its upper halo
//   above, below      those of the ranks above and below it, which begin with
//                     their upper halos, too
//   width             how many pixels a row has; row y begins at y * width
//   halo              how many rows each halo has: half the side of the filter
//   own               how many own rows this rank has
//   own_above         how many own rows the rank above has, which may be one
//                     more or less
//   rank, ranks       which rank this is, and how many there are
//
// Nothing is above rank 0, and nothing below the last rank. Their outer halos
// stay zero: there is no image. There is a thread for each pixel of a halo,
// with threads to spare on the right and below: thread (x, y) of the grid
// copies pixel x of row y, in both halos. Here one GPU does the work of all
// ranks, one after the other.
//
// To do: both copies, with their guards. About three lines. The kernel that
// computes the rows is the course's.
// Check it: gpulab check halo_exchange.cu

__global__ void take_halos(float* rows, const float* above, const float* below, int width, int halo, int own,
                           int own_above, int rank, int ranks) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  // TODO: copy a pixel of the upper halo, and one of the lower halo
}
