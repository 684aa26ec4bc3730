// expect: out-of-bounds-read: nothing calls 'border_index', which line 4 defines
__constant__ float constant_filter[4096];

__device__ int border_index(int index, int size, int border) {
  if (index >= 0 && index < size) return index;
  if (border == 0) return -1;
  if (border == 1) return index < 0 ? 0 : size - 1;
  const int period = 2 * size;
  const int place = (index % period + period) % period;
  return place < size ? place : period - 1 - place;
}

__global__ void convolution_tiled(const float* image, float* output, int width, int height, int filter_width,
                                  int filter_height, int border) {
  extern __shared__ float tile[];
  const int tile_width = blockDim.x + filter_width - 1;
  const int tile_height = blockDim.y + filter_height - 1;
  const int left = blockIdx.x * blockDim.x - filter_width / 2;
  const int top = blockIdx.y * blockDim.y - filter_height / 2;
  for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
    for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x) {
      int row = top + ty;
      int column = left + tx;
      float pixel = 0;
      if (row >= 0 && column >= 0) pixel = image[row * width + column];
      tile[ty * tile_width + tx] = pixel;
    }
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = 0; j < filter_height; j++)
    for (int i = 0; i < filter_width; i++)
      sum += constant_filter[j * filter_width + i] *
             tile[(threadIdx.y + filter_height - 1 - j) * tile_width + threadIdx.x + filter_width - 1 - i];
  output[y * width + x] = sum;
}
