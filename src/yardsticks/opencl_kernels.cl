// Three kernels of the lessons in OpenCL C, with the same work for each thread as in CUDA.

// vector_add_guarded in kernels/arbitrary_size.cu
kernel void vector_add(global const float* A, global const float* B, global float* C, int size) {
  const int item = get_global_id(0);
  if (item < size) C[item] = A[item] + B[item];
}

// histogram_shared in kernels/shared_histogram.cu
kernel void histogram(global const int* input, global int* output, int size) {
  local int counts[256];
  for (int bin = get_local_id(0); bin < 256; bin += get_local_size(0)) counts[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int item = get_global_id(0);
  if (item < size) atomic_add(&counts[input[item]], 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int bin = get_local_id(0); bin < 256; bin += get_local_size(0)) atomic_add(&output[bin], counts[bin]);
}

// matmul_tiled in kernels/matmul.cu
kernel void matmul(global const float* A, global const float* B, global float* C, int m, int n, int k) {
  enum { tile = 32 };
  local float a[tile][tile], b[tile][tile];
  const int x = get_local_id(0), y = get_local_id(1);
  const int row = get_group_id(1) * tile + y, column = get_group_id(0) * tile + x;
  float sum = 0;
  for (int first = 0; first < k; first += tile) {
    a[y][x] = row < m && first + x < k ? A[row * k + first + x] : 0;
    b[y][x] = first + y < k && column < n ? B[(first + y) * n + column] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < tile; ++i) sum += a[y][i] * b[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
