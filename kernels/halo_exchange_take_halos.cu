// rows(x, y) = a pixel of the rank above, for y in the upper halo; of the rank below, for y in the lower one
//
// Domain decomposition: several GPUs have divided the rows of an image among them. Each holds its own rows between two
// halos of `halo` rows: above them the last rows of its upper neighbour, below them the first rows of its lower one.
// At the upper and the lower edge of the image the halo is zero.

// The halo exchange: fills both halos of a rank from the rows of its neighbours, which a GPU can read over the link, by
// peer access. All three arrays begin with the halo above the rank's own rows. This rank has `own` rows of its own, the
// rank above has `own_above`. One thread for each pixel of a halo.
__global__ void take_halos(float* rows, const float* above, const float* below, int width, int halo, int own,
                           int own_above, int rank, int ranks) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= halo) return;
  if (rank > 0) rows[y * width + x] = above[(own_above + y) * width + x];
  if (rank < ranks - 1) rows[(halo + own + y) * width + x] = below[(halo + y) * width + x];
}
