// rows(x, y) = above(x, own_above + y), in the upper halo
// rows(x, halo + own + y) = below(x, halo + y), in the lower halo, both for y in [0, halo)
//
// Domain decomposition: several GPUs have divided the rows of an image among them. Each holds its own rows between two
// halos of `halo` rows: above them the last rows of its upper neighbour, below them the first rows of its lower one.
// At the upper and the lower edge of the image the halo is zero.

// The halo exchange: fills both halos of a rank from the rows of its neighbours, which a GPU reads over NVLink or PCIe,
// by peer access. All three arrays begin with the halo above the rank's own rows. This rank has `own` own rows,
// the rank above has `own_above`. One thread for each pixel of a halo.
__global__ void take_halos(float* rows, const float* above, const float* below, int width, int halo, int own,
                           int own_above, int rank, int ranks) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= halo) return;
  if (rank > 0) rows[y * width + x] = above[(own_above + y) * width + x];
  if (rank < ranks - 1) rows[(halo + own + y) * width + x] = below[(halo + y) * width + x];
}
