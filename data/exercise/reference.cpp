// Computes what the kernel has to: one thread runs this, in plain C++. It has the kernel's parameters.
void reference(float factor, const float* X, float* Y, int size) {
  for (int i = 0; i < size; ++i) Y[i] = factor * X[i];
}
