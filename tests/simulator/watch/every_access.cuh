// Types and functions for the forms in every_access.txt.
struct Byte { unsigned char value; };
struct Three { unsigned char values[3]; };
struct Word { unsigned value; };
struct Two { unsigned a, b; };
struct Vector { unsigned a, b, c; };
struct Padded { double a; unsigned char b; };
struct Nested { Two two; float c; short d[5]; };
struct Line { unsigned long long values[8]; };
union Either { unsigned word; unsigned short halves[2]; };
struct Bits { unsigned low : 5, middle : 17, high : 10; };
struct Owned {
  unsigned a, b;
  Owned() = default;
  __device__ Owned(const Owned& other) : a(other.a), b(other.b) {}
  __device__ Owned& operator=(const Owned& other) { a = other.a; b = other.b; return *this; }
};
struct Summed {
  unsigned a, b;
  __device__ Summed& operator+=(Summed other) { a += other.a; b += other.b; return *this; }
  __device__ Summed operator+(Summed other) const { return {a + other.a, b + other.b}; }
};
struct Virtual {
  unsigned value;
  __device__ Virtual(unsigned value) : value(value) {}
  __device__ virtual unsigned get() const { return value; }
};
struct __align__(16) Place { unsigned char bytes[512]; };

template <class T> struct Pair { T first, second; };
template <class T> struct Array { T values[3]; };
template <class T> struct Holder {
  T value;
  __device__ Holder(T value) : value(value) {}
  __device__ Holder(int, T value) : Holder(value) {}
};
template <class T> struct DerivedHolder : Holder<T> {
  __device__ DerivedHolder(T value) : Holder<T>(value) {}
};
template <class T> struct Convertible {
  T value;
  __device__ operator T() const { return value; }
};
template <class T> struct Taker {
  T kept;
  __device__ __noinline__ T take(T value) { return value; }
  __device__ __noinline__ T take_const(T value) const { return value; }
  __device__ static __noinline__ T take_static(T value) { return value; }
  __device__ T operator()(T value) { return value; }
  __device__ T operator[](T value) { return value; }
  __device__ T operator+(T value) { return value; }
  __device__ void operator+=(T value) { kept = value; }
  __device__ void operator=(T value) { kept = value; }
};
template <class T> __device__ __noinline__ T operator%(T value, const Taker<T>&) { return value; }
template <class T> __device__ __noinline__ void take(T value, T* out) { *out = value; }
template <class T> __device__ __forceinline__ void take_inlined(T value, T* out) { *out = value; }
template <class T> __device__ __noinline__ void take_reference(const T& value, T* out) { *out = value; }
template <class T> __device__ __noinline__ void take_rvalue(T&& value, T* out) { *out = value; }
template <class T> __device__ __noinline__ void take_second(int, T value, T* out) { *out = value; }
template <class T>
__device__ __noinline__ void take_ninth(long, long, long, long, long, long, long, long, T value, T* out) { *out = value; }
template <class T> __device__ void take_each(T*) {}
template <class T, class First, class... Rest> __device__ void take_each(T* out, First first, Rest... rest) {
  if constexpr (__is_same(T, First)) *out = first;
  take_each(out, rest...);
}
template <class T, class... Ts> __device__ __noinline__ void take_many(T* out, Ts... values) { take_each(out, values...); }
template <class T, class... Ts> __device__ __noinline__ void take_pack(T* out, Ts... values) { ((*out = values), ...); }
template <class T> __device__ __noinline__ void take_defaulted(T* out, T value, int = 3) { *out = value; }
template <class T> __device__ __noinline__ void take_pair(Pair<T> pair, T* out) { out[0] = pair.first; out[1] = pair.second; }
template <class T> __device__ __noinline__ void take_array(Array<T> array, T* out) {
  for (int k = 0; k < 3; ++k) out[k] = array.values[k];
}
template <class T> __device__ __noinline__ T identity(T value) { return value; }
template <class T> __device__ __forceinline__ T identity_inlined(T value) { return value; }
template <class T> __device__ __noinline__ T element_of(const T* values, int i) { return values[i]; }
template <class T> __device__ __noinline__ T& reference_to(T* values, int i) { return values[i]; }
template <class T> __device__ __noinline__ Array<T> array_in(const T* values) { return {{values[0], values[1], values[2]}}; }
template <class T> __device__ __noinline__ T held(Holder<T> holder) { return holder.value; }
template <class T> __device__ T held(T value) { return held(Holder<T>(value)); }
template <class T> __device__ __noinline__ T larger(T a, T b) { return a < b ? b : a; }
template <class T> __device__ __noinline__ T made(const T* from) { return *from; }
template <class T> __device__ __noinline__ Pair<T> paired(const T* from) { return {from[0], from[1]}; }
template <class T> __device__ __noinline__ void put(T& place, T value) { place = value; }
template <class T> __device__ __noinline__ void put_at(T* place, T value) { *place = value; }
template <class T> __device__ __noinline__ void swap_both(T& a, T& b) { const T kept = a; a = b; b = kept; }
__device__ float4 added(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ __noinline__ void copy(unsigned char* to, const unsigned char* from, int bytes) {
  for (int k = 0; k < bytes / 8; ++k)
    reinterpret_cast<unsigned long long*>(to)[k] = reinterpret_cast<const unsigned long long*>(from)[k];
}
__device__ __align__(16) unsigned char variable_bytes[1 << 17];
