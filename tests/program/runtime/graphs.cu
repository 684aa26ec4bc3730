#include <cstdio>
#include <cstring>

constexpr int n = 256;

__global__ void add(int* x, int value) { x[threadIdx.x] += value; }
__global__ void multiply(int* x, int factor) { x[threadIdx.x] *= factor; }
__global__ void add_both(int* to, const int* a, const int* b) { to[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

int *x, *y, *z, result[n];
cudaStream_t stream, other;
cudaEvent_t forked, joined;
cudaGraph_t graph;
cudaGraphExec_t exec;

const char* named(cudaError_t error) { return cudaGetErrorName(error); }

void launch(int times) {
  cudaGraphInstantiate(&exec, graph, NULL, NULL, 0);
  for (int i = 0; i < times; ++i) cudaGraphLaunch(exec, i % 2 ? other : stream);  // launches wait for each other
  cudaStreamSynchronize(stream);
  cudaStreamSynchronize(other);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

// x becomes 2 (x + 1) at each launch: the argument, 1, is copied when the kernel is captured.
void in_one_stream() {
  int value = 1;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<1, n, 0, stream>>>(x, value);
  value = 5;
  multiply<<<1, n, 0, stream>>>(x, 2);
  cudaMemcpyAsync(result, x, sizeof result, cudaMemcpyDeviceToHost, stream);
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(stream, &status);
  cudaStreamEndCapture(stream, &graph);
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  printf("%d %zu %d ", status == cudaStreamCaptureStatusActive, nodes, result[0]);
  launch(3);
  printf("%d\n", result[7]);
}

// Two branches. Without `joins`, the capture ends without a wait for the second one.
void in_two_streams(bool waits, bool joins) {
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<1, n, 0, stream>>>(x, 1);
  cudaEventRecord(forked, stream);
  cudaStreamWaitEvent(other, forked, 0);
  add<<<1, n, 0, other>>>(y, 10);
  cudaEventRecord(joined, other);
  multiply<<<1, n, 0, stream>>>(x, 3);
  if (waits) cudaStreamWaitEvent(stream, joined, 0);
  add_both<<<1, n, 0, stream>>>(z, x, y);  // adds
  if (!waits && joins) cudaStreamWaitEvent(stream, joined, 0);
  const cudaError_t error = cudaStreamEndCapture(stream, &graph);
  if (error) {
    printf("%s %d\n", named(error), graph == nullptr);
    return;
  }
  launch(2);
  cudaMemcpy(result, z, sizeof result, cudaMemcpyDeviceToHost);
  printf("%d\n", result[3]);
}

void told(void* data) { *(int*)data += 1; }

void by_hand() {
  static int calls = 0;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t set, first, second, copied, host;
  cudaMemsetParams to_zero = {};
  to_zero.dst = x;
  to_zero.elementSize = sizeof(int);
  to_zero.width = n;
  to_zero.height = 1;
  cudaGraphAddMemsetNode(&set, graph, NULL, 0, &to_zero);
  cudaKernelNodeParams kernel = {0};
  int value = 4;
  void* arguments[] = {&x, &value};
  kernel.func = (void*)add;
  kernel.gridDim = dim3(1, 1, 1);
  kernel.blockDim = dim3(n, 1, 1);
  kernel.kernelParams = arguments;
  cudaGraphAddKernelNode(&first, graph, &set, 1, &kernel);
  kernel.func = (void*)multiply;
  value = 5;
  cudaGraphAddKernelNode(&second, graph, NULL, 0, &kernel);
  cudaGraphAddDependencies(graph, &first, &second, 1);
  cudaGraphAddMemcpyNode1D(&copied, graph, &second, 1, result, x, sizeof result, cudaMemcpyDeviceToHost);
  cudaHostNodeParams callback = {told, &calls};
  cudaGraphAddHostNode(&host, graph, &copied, 1, &callback);
  cudaGraph_t clone;
  cudaGraphClone(&clone, graph);
  size_t roots = 0;
  cudaGraphGetRootNodes(clone, NULL, &roots);
  cudaGraphExec_t of_clone;
  cudaGraphInstantiate(&of_clone, clone, 0);
  value = 6;
  const cudaError_t of_another_graph = cudaGraphExecKernelNodeSetParams(of_clone, second, &kernel);
  cudaGraphLaunch(of_clone, stream);
  cudaStreamSynchronize(stream);
  printf("%zu %s %d ", roots, named(of_another_graph), result[0]);
  cudaGraphExec_t changed;
  cudaGraphInstantiate(&changed, graph, 0);
  cudaGraphExecKernelNodeSetParams(changed, second, &kernel);
  cudaGraphLaunch(changed, stream);
  cudaStreamSynchronize(stream);
  printf("%d ", result[0]);
  cudaGraphExecDestroy(changed);
  cudaGraphExecDestroy(of_clone);
  cudaGraphDestroy(clone);
  launch(2);
  printf("%d %d\n", result[0], calls);
}

void errors() {
  void* memory = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  printf("%s ", named(cudaMalloc(&memory, 4)));
  printf("%s\n", named(cudaStreamEndCapture(stream, &graph)));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  printf("%s ", named(cudaMalloc(&memory, 4)));
  printf("%s\n", named(cudaStreamEndCapture(stream, &graph)));
  cudaGraphDestroy(graph);
  cudaFree(memory);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  printf("%s ", named(cudaStreamSynchronize(stream)));
  printf("%s\n", named(cudaStreamEndCapture(stream, &graph)));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  printf("%s ", named(cudaMemcpy(result, x, sizeof result, cudaMemcpyDeviceToHost)));
  printf("%s ", named(cudaStreamEndCapture(stream, &graph)));
  printf("%s\n", named(cudaStreamEndCapture(stream, &graph)));
}

void update() {
  for (int value = 1; value <= 3; ++value) {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    add<<<1, n, 0, stream>>>(x, value);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphExecUpdateResult updated;
    if (value == 1)
      cudaGraphInstantiateWithFlags(&exec, graph, 0);
    else
      cudaGraphExecUpdate(exec, graph, NULL, &updated);
    cudaGraphLaunch(exec, stream);
    cudaGraphDestroy(graph);
  }
  cudaMemcpy(result, x, sizeof result, cudaMemcpyDeviceToHost);
  printf("%d\n", result[1]);
  cudaGraphExecDestroy(exec);
}

int main(int, char** words) {
  const auto is = [&](const char* word) { return std::strcmp(words[1], word) == 0; };
  for (int** memory : {&x, &y, &z}) {
    cudaMalloc(memory, sizeof result);
    cudaMemset(*memory, 0, sizeof result);
  }
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaEventCreate(&forked);
  cudaEventCreate(&joined);
  if (is("one")) in_one_stream();
  if (is("two")) in_two_streams(true, true);
  if (is("race")) in_two_streams(false, true);
  if (is("unjoined")) in_two_streams(false, false);
  if (is("hand")) by_hand();
  if (is("errors")) errors();
  if (is("update")) update();
  cudaEventDestroy(forked);
  cudaEventDestroy(joined);
  cudaStreamDestroy(stream);
  cudaStreamDestroy(other);
  for (int* memory : {x, y, z}) cudaFree(memory);
}
