// expect: tile-edges
// sizes: images larger than a block, 32 x 8, with a filter that is smaller than a block
// because: The tile has no more pixels than the block: at its edges, neighbours in other blocks are skipped.

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

// Every thread copies its pixel, and uses those of its neighbours.
__global__ void convolution_tiled(const float* image, float* output, int width, int height, int filter_width,
                                  int filter_height, int border) {
  extern __shared__ float tile[];
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int own = threadIdx.y * blockDim.x + threadIdx.x;
  tile[own] = x < width && y < height ? image[y * width + x] : 0;
  __syncthreads();
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = 0; j < filter_height; ++j) {
    for (int i = 0; i < filter_width; ++i) {
      const int row = threadIdx.y + filter_height / 2 - j, column = threadIdx.x + filter_width / 2 - i;
      if (row < 0 || row >= blockDim.y || column < 0 || column >= blockDim.x) continue;
      sum += constant_filter[j * filter_width + i] * tile[row * blockDim.x + column];
    }
  }
  output[y * width + x] = sum;
}
