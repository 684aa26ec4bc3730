// C[i] = A[i] + B[i], for i in [0, size). Where does a thread keep what it works on?

// Only the index has a name. The compiler finds registers for the rest.
__global__ void vector_add_plain(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}

// Three named temporaries are the same three values, in the same registers.
__global__ void vector_add_temporaries(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    const float temp_a = A[item];
    const float temp_b = B[item];
    const float temp_c = temp_a + temp_b;
    C[item] = temp_c;
  }
}

// If the compiler knows every index of an array, the array is only another way to name registers (scalar replacement).
__global__ void vector_add_array(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    float temp[3];
    temp[0] = A[item];
    temp[1] = B[item];
    temp[2] = temp[0] + temp[1];
    C[item] = temp[2];
  }
}

// Registers have no address. An array whose index is known only at run time (dynamic indexing) goes to local memory,
// which is private to the thread but is in the same memory chips as global memory.
__global__ void vector_add_run_time_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    float temp[8];
    const int place = item % 8;
    const int next_place = (item + 1) % 8;
    temp[place] = A[item];
    temp[next_place] = B[item];
    C[item] = temp[place] + temp[next_place];
  }
}
