// For: for initializer_list
// <initializer_list>, which a compiler needs for a loop over {2, 3, 5}. NVRTC has its own.
#ifdef GPULAB_SIMULATED
namespace std {
template <class T> class initializer_list {
  const T* first_ = nullptr;
  __SIZE_TYPE__ size_ = 0;
  constexpr initializer_list(const T* first, __SIZE_TYPE__ size) : first_(first), size_(size) {}  // for the compiler

 public:
  typedef T value_type;
  typedef const T* const_iterator;
  constexpr initializer_list() = default;
  constexpr __SIZE_TYPE__ size() const { return size_; }
  constexpr const T* begin() const { return first_; }
  constexpr const T* end() const { return first_ + size_; }
};
}
#endif
