// expect: line 4: the simulated device does not have labels in inline PTX (asm)

__global__ void f(int* x) {
  asm volatile("{ .reg .pred p; L: setp.eq.s32 p, 1, 1; @!p bra L; }");
  *x = 1;
}
int main() {}
