// output(x, y) = the sum over i, j of
//   filter(i, j) * image(x + filter_width / 2 - i, y + filter_height / 2 - j)
//
//   constant_filter               the filter, row-major, in constant memory
//   image                         the image, row-major, read only
//   output                        the convolved image
//   width, height                 columns and rows of image and output
//   filter_width, filter_height   columns and rows of the filter, both odd
//   border                        what lies beyond the image; border_index
//                                 looks at it
//
// Neighbouring pixels need almost the same part of the image. So the block
// copies what it needs to tile, once: a pixel for each of its threads, and
// around them a halo of half a filter on every side. The launch gives tile
// exactly this much room. The first pixel of the tile is at (left, top) of the
// image; both may be negative.
//
// To do: fill the tile, row-major, with tile_width pixels in each row. Wait,
// add up, and store. About fifteen lines.
// Check it: gpulab check convolution.cu

__constant__ float constant_filter[4096];

// Returns the index of the source pixel in a row or column of `size` pixels, or
// -1 for none.
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
  // TODO: fill the tile with image[row * width + column], or 0 if border_index
  // says -1, and wait
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  // TODO: add up constant_filter[j * filter_width + i] times the pixel that it
  // meets, from the tile, and store the sum in output[y * width + x]
}
