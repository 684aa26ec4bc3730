// expect: divergent-barrier
// sizes: width not a multiple of 32, or height not of 8
// because: Threads without a pixel return before the barrier. They also fetch nothing for the tile.

__constant__ float constant_filter[4096];

// Returns the index of the source pixel in a row or column of `size` pixels, or -1 for none.
__device__ int border_index(int index, int size, int border) {
  if (index >= 0 && index < size) return index;
  if (border == 0) return -1;
  if (border == 1) return index < 0 ? 0 : size - 1;
  const int period = 2 * size;
  const int position = (index % period + period) % period;
  return position < size ? position : period - 1 - position;
}

// Threads outside the image have nothing to do.
__global__ void convolution_tiled(const float* image, float* output, int width, int height, int filter_width,
                                  int filter_height, int border) {
  extern __shared__ float tile[];
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int tile_width = blockDim.x + filter_width - 1, tile_height = blockDim.y + filter_height - 1;
  const int left = blockIdx.x * blockDim.x - filter_width / 2;
  const int top = blockIdx.y * blockDim.y - filter_height / 2;
  for (int v = threadIdx.y; v < tile_height; v += blockDim.y) {
    const int row = border_index(top + v, height, border);
    for (int u = threadIdx.x; u < tile_width; u += blockDim.x) {
      const int column = border_index(left + u, width, border);
      tile[v * tile_width + u] = row >= 0 && column >= 0 ? image[row * width + column] : 0;
    }
  }
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < filter_height; ++j) {
    for (int i = 0; i < filter_width; ++i) {
      const int row = threadIdx.y + filter_height - 1 - j, column = threadIdx.x + filter_width - 1 - i;
      sum += constant_filter[j * filter_width + i] * tile[row * tile_width + column];
    }
  }
  output[y * width + x] = sum;
}
