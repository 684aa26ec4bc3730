// expect: this launch has no arguments after its >>>
__global__ void set() {}
int main() {
  set<<<1, 1>>>;
}
