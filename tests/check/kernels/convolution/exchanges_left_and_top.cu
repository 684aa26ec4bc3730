// expect: wrong-values: in line 37
// Maps an index that may be outside to the pixel to read, in a row or column of `size` pixels. -1 means zero: no
// pixel.
__device__ int border_index(int index, int size, int border) {
  if (index >= 0 && index < size) return index;
  if (border == 0) return -1;
  if (border == 1) return index < 0 ? 0 : size - 1;
  const int period = 2 * size;
  const int position = (index % period + period) % period;
  return position < size ? position : period - 1 - position;
}

// Filter in constant memory, row-major, with at most 64 x 64 elements.
__constant__ float constant_filter[4096];

extern __shared__ float shared[];

// Fills a tile with pixels of the image, from (left, top) on. Only this function looks at the border, once per
// pixel.
__device__ void fill_tile(float* tile, int tile_width, int tile_height, const float* image, int left, int top,
                          int width, int height, int border) {
  for (int y = threadIdx.y; y < tile_height; y += blockDim.y) {
    const int row = border_index(top + y, height, border);
    for (int x = threadIdx.x; x < tile_width; x += blockDim.x) {
      const int column = border_index(left + x, width, border);
      tile[y * tile_width + x] = row >= 0 && column >= 0 ? image[row * width + column] : 0;
    }
  }
}

// Tiling: copies the pixels of the block, and a halo of half a filter around them, to shared memory. Neighbours
// need mostly the same pixels. With blocks of 32 x 8 and a filter of 15 x 15, a thread loads 4 pixels, not 225.
// Expects (blockDim.x + filter_width - 1) * (blockDim.y + filter_height - 1) floats of shared memory.
__global__ void convolution_tiled(const float* image, float* output, int width, int height, int filter_width,
                                  int filter_height, int border) {
  const int tile_width = blockDim.x + filter_width - 1, tile_height = blockDim.y + filter_height - 1;
  fill_tile(shared, tile_width, tile_height, image, blockIdx.y * blockDim.y - filter_height / 2,
            blockIdx.x * blockDim.x - filter_width / 2, width, height, border);
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  // The pointer moves with the loop. If the compiler knows that an index is equal in all threads, it reads
  // constant memory in another way, which made this kernel ten times slower on an H200.
  const float* factor = constant_filter;
  const float* pixels =
      &shared[(threadIdx.y + filter_height - 1) * tile_width + threadIdx.x + filter_width - 1];
  float sum = 0;
  for (int j = 0; j < filter_height; ++j, pixels -= tile_width)
    for (int i = 0; i < filter_width; ++i) sum += *factor++ * pixels[-i];
  output[y * width + x] = sum;
}
