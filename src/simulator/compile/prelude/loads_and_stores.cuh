// Loads and stores with cache hints are loads and stores.
template <class T> GPULAB_INTRINSIC T __ldg(const T* address) { return *address; }
template <class T> GPULAB_INTRINSIC T __ldca(const T* address) { return *address; }
template <class T> GPULAB_INTRINSIC T __ldcg(const T* address) { return *address; }
template <class T> GPULAB_INTRINSIC T __ldcs(const T* address) { return *address; }
template <class T> GPULAB_INTRINSIC T __ldlu(const T* address) { return *address; }
template <class T> GPULAB_INTRINSIC T __ldcv(const T* address) { return *(const volatile T*)address; }
template <class T> GPULAB_INTRINSIC void __stwb(T* address, T value) { *address = value; }
template <class T> GPULAB_INTRINSIC void __stcg(T* address, T value) { *address = value; }
template <class T> GPULAB_INTRINSIC void __stcs(T* address, T value) { *address = value; }
template <class T> GPULAB_INTRINSIC void __stwt(T* address, T value) { *address = value; }
