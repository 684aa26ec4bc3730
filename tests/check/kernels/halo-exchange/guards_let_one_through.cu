// expect: seam: it lets x == width through
__global__ void take_halos(float* rows, const float* above, const float* below, int width, int halo, int own,
                           int own_above, int rank, int ranks) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > width || y > halo) return;  // here
  if (rank > 0) rows[y * width + x] = above[(own_above + y) * width + x];
  if (rank < ranks - 1) rows[(halo + own + y) * width + x] = below[(halo + y) * width + x];
}
