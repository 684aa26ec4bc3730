// output[i] = the sum over j of constant_taps[j] * input[i + offset - j], for i
// in [0, output_size); input is zero outside
//
//   constant_taps   the filter, in constant memory
//   input           the signal, read only
//   output          the filtered signal
//   size            how many elements input has
//   taps            how many elements the filter has
//   output_size     how many elements output has
//   offset          the index of the newest input that output[0] needs
//
// Neighbouring outputs need almost the same inputs. So the block copies what it
// needs to tile (shared memory), once: one input for each of its 256 threads,
// and taps - 1 more to the left, the halo. The launch gives tile exactly this
// much room. tile[0] is input[first]; first may be negative.
//
// To do: fill the tile, with zeros outside the input. Wait, and add up. About
// five lines.
// Check it: gpulab check convolution_1d.cu

__constant__ float constant_taps[4096];

__global__ void convolution_1d_tiled(const float* input, float* output, int size, int taps, int output_size,
                                     int offset) {
  extern __shared__ float tile[];
  const int first = blockIdx.x * blockDim.x + offset - (taps - 1);
  // TODO: fill the tile, and wait
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= output_size) return;
  float sum = 0;
  // TODO: add up constant_taps[j] times the input that it meets, from the tile
  output[item] = sum;
}
