// For: include_helper_cuda_h include_helper_functions_h include_helper_string_h include_helper_timer_h
// For: include_helper_image_h include_exception_h include_helper_cuda_drvapi_h include_helper_math_h
// Parts of the headers of NVIDIA's samples that programs use: checks, the choice of a device, command lines, timers.
GPULAB_INTRINSIC const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
template <class T>
inline void check(T result, const char* call, const char* file, int line) {
  if (!result) return;
  fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, int(result),
          cudaGetErrorName(cudaError_t(result)), call);
  exit(EXIT_FAILURE);
}
#define checkCudaErrors(result) check((result), #result, __FILE__, __LINE__)
inline void __getLastCudaError(const char* message, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, int(error),
          cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
inline void __printLastCudaError(const char* message, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, int(error),
            cudaGetErrorString(error));
}
#define printLastCudaError(message) __printLastCudaError(message, __FILE__, __LINE__)
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef STRCASECMP
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#define FOPEN_FAIL(result) (result == NULL)
#define SSCANF sscanf
#define SPRINTF sprintf
#define STRCPY(to, length, from) strcpy(to, from)
#endif
// Returns the CUDA cores of a multiprocessor of that compute capability.
inline int _ConvertSMVer2Cores(int major, int minor) {
  const int version = major * 10 + minor;
  if (version >= 86 || version == 61 || version == 62) return 128;
  if (version >= 70 || version == 60) return 64;
  return version >= 50 ? 128 : 192;
}
inline const char* _ConvertSMVer2ArchName(int major, int) {
  return major >= 9 ? "Hopper" : major == 8 ? "Ampere" : major == 7 ? "Volta" : "Pascal";
}
inline int gpuDeviceInit(int device) {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  if (count == 0) {
    fprintf(stderr, "gpuDeviceInit() CUDA error: no devices supporting CUDA.\n");
    exit(EXIT_FAILURE);
  }
  if (device < 0) device = 0;
  if (device >= count) return -device;
  checkCudaErrors(cudaSetDevice(device));
  return device;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findIntegratedGPU() { return -1; }
inline bool checkCudaCapabilities(int major, int minor) {
  int device = 0, own_major = 0, own_minor = 0;
  checkCudaErrors(cudaGetDevice(&device));
  checkCudaErrors(cudaDeviceGetAttribute(&own_major, cudaDevAttrComputeCapabilityMajor, device));
  checkCudaErrors(cudaDeviceGetAttribute(&own_minor, cudaDevAttrComputeCapabilityMinor, device));
  return own_major > major || (own_major == major && own_minor >= minor);
}

// ---- Command lines: "-name", "--name" and "name=value" ----
inline int stringRemoveDelimiter(char delimiter, const char* text) {
  int begin = 0;
  while (text[begin] == delimiter) ++begin;
  return begin >= int(strlen(text)) - 1 ? 0 : begin;
}
// Returns the value of the argument of that name; empty if it has none, null if it is not given.
inline const char* gpulab_command_line_value(int count, const char** words, const char* name) {
  const size_t length = strlen(name);
  for (int i = 1; i < count; ++i) {
    const char* word = words[i] + stringRemoveDelimiter('-', words[i]);
    if (strncasecmp(word, name, length) != 0) continue;
    if (word[length] == '\0') return "";
    if (word[length] == '=') return word + length + 1;
  }
  return nullptr;
}
inline bool checkCmdLineFlag(int count, const char** words, const char* name) {
  return gpulab_command_line_value(count, words, name) != nullptr;
}
inline int getCmdLineArgumentInt(int count, const char** words, const char* name) {
  const char* value = gpulab_command_line_value(count, words, name);
  return value ? atoi(value) : 0;
}
inline float getCmdLineArgumentFloat(int count, const char** words, const char* name) {
  const char* value = gpulab_command_line_value(count, words, name);
  return value ? float(atof(value)) : 0;
}
inline bool getCmdLineArgumentString(int count, const char** words, const char* name, char** value) {
  *value = const_cast<char*>(gpulab_command_line_value(count, words, name));
  return *value != nullptr;
}
template <class T>
inline bool getCmdLineArgumentValue(int count, const char** words, const char* name, T* value) {
  const char* text = gpulab_command_line_value(count, words, name);
  if (text) *value = T(atoi(text));
  return text != nullptr;
}
inline int findCudaDevice(int count, const char** words) {
  int device = 0;
  if (checkCmdLineFlag(count, words, "device")) device = gpuDeviceInit(getCmdLineArgumentInt(count, words, "device="));
  if (device < 0) exit(EXIT_FAILURE);
  cudaDeviceProp properties;
  checkCudaErrors(cudaSetDevice(device));
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, properties.name, properties.major,
         properties.minor);
  return device;
}
// Returns the path of a file in the folders where samples keep their data, or null.
inline char* sdkFindFilePath(const char* name, const char*) {
  static const char* const folders[] = {"./", "./data/", "../data/", "../../data/", "../"};
  for (const char* folder : folders) {
    char* path = (char*)malloc(strlen(folder) + strlen(name) + 1);
    strcpy(path, folder);
    strcat(path, name);
    if (FILE* file = fopen(path, "rb")) {
      fclose(file);
      return path;
    }
    free(path);
  }
  return nullptr;
}

// ---- Timers, in milliseconds ----
class StopWatchInterface {
 public:
  void start() { begin_ = now(), is_running_ = true; }
  void stop() {
    last_ = now() - begin_, total_ += last_, ++sessions_, is_running_ = false;
  }
  void reset() { last_ = total_ = 0, sessions_ = 0, begin_ = now(); }
  float getTime() { return float(is_running_ ? total_ + now() - begin_ : total_); }
  float getAverageTime() { return sessions_ > 0 ? float(total_ / sessions_) : 0; }

 private:
  static double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
  }
  double begin_ = 0, last_ = 0, total_ = 0;
  int sessions_ = 0;
  bool is_running_ = false;
};
inline bool sdkCreateTimer(StopWatchInterface** timer) { return (*timer = new StopWatchInterface) != nullptr; }
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
  delete *timer;
  *timer = nullptr;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) { return (*timer)->start(), true; }
inline bool sdkStopTimer(StopWatchInterface** timer) { return (*timer)->stop(), true; }
inline bool sdkResetTimer(StopWatchInterface** timer) { return (*timer)->reset(), true; }
inline float sdkGetTimerValue(StopWatchInterface** timer) { return (*timer)->getTime(); }
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) { return (*timer)->getAverageTime(); }

// ---- Comparisons and files ----
template <class T>
inline bool compareData(const T* reference, const T* data, unsigned length, float epsilon, float max_wrong_fraction) {
  unsigned wrong = 0;
  for (unsigned i = 0; i < length; ++i) {
    const float difference = float(reference[i]) - float(data[i]);
    wrong += !(difference <= epsilon && difference >= -epsilon);
  }
  return max_wrong_fraction == 0 ? wrong == 0 : float(wrong) <= float(length) * max_wrong_fraction;
}
inline bool sdkCompareL2fe(const float* reference, const float* data, unsigned length, float epsilon) {
  double error = 0, square = 0;
  for (unsigned i = 0; i < length; ++i) {
    const double difference = double(reference[i]) - data[i];
    error += difference * difference;
    square += double(reference[i]) * reference[i];
  }
  return square >= 1e-7 && sqrt(error / square) < epsilon;
}
template <class T, class Tolerance>
inline bool sdkWriteFile(const char* name, const T* data, unsigned count, const Tolerance, bool, bool appends = false) {
  FILE* file = fopen(name, appends ? "a" : "w");
  if (!file) return false;
  for (unsigned i = 0; i < count; ++i) fprintf(file, "%g ", double(data[i]));
  return fclose(file) == 0;
}
// Reads numbers separated by blanks, into new memory if the caller has none.
template <class T>
inline bool sdkReadFile(const char* name, T** data, unsigned* count, bool) {
  FILE* file = name ? fopen(name, "r") : nullptr;
  if (!file) return false;
  unsigned read = 0;
  T* numbers = nullptr;
  for (double number; fscanf(file, "%lf", &number) == 1; ++read) {
    numbers = (T*)realloc(numbers, (read + 1) * sizeof(T));
    numbers[read] = T(number);
  }
  fclose(file);
  if (*data && *count != read) return free(numbers), false;
  if (*data) memcpy(*data, numbers, read * sizeof(T)), free(numbers);
  else *data = numbers;
  *count = read;
  return true;
}

// ---- Pictures: PGM, 8 bits; as floats they are in [0, 1] ----
GPULAB_INTRINSIC void gpulab_set_pixel(unsigned char& pixel, int value) { pixel = (unsigned char)value; }
GPULAB_INTRINSIC void gpulab_set_pixel(float& pixel, int value) { pixel = float(value) / 255.0f; }
GPULAB_INTRINSIC int gpulab_byte_of(unsigned char pixel) { return pixel; }
GPULAB_INTRINSIC int gpulab_byte_of(float pixel) { return (unsigned char)(pixel * 255.0f); }
// Returns the next number of a header, after its comments; -1 if there is none.
inline int gpulab_number_in_header(FILE* file) {
  int number = -1, next = ' ';
  while ((next >= 0 && next <= ' ') || next == '#') {
    while (next == '#' && (next = fgetc(file)) != '\n' && next != EOF) next = '#';
    next = fgetc(file);
  }
  ungetc(next, file);
  return fscanf(file, "%d", &number) == 1 ? number : -1;
}
// Fills the given memory, or allocates it with malloc.
template <class Pixel>
inline bool sdkLoadPGM(const char* name, Pixel** data, unsigned* width, unsigned* height) {
  FILE* file = fopen(name, "rb");
  if (!file) return false;
  int magic = fgetc(file) == 'P' ? fgetc(file) : 0;
  const int w = gpulab_number_in_header(file), h = gpulab_number_in_header(file);
  const bool is_picture = magic == '5' && w > 0 && h > 0 && gpulab_number_in_header(file) == 255 && fgetc(file) != EOF;
  if (is_picture && !*data) {
    *data = (Pixel*)malloc(sizeof(Pixel) * w * h);
    *width = w;
    *height = h;
  }
  int value = 0;
  for (long i = 0; is_picture && i < long(w) * h && (value = fgetc(file)) != EOF; ++i) gpulab_set_pixel((*data)[i], value);
  fclose(file);
  return is_picture && value != EOF;
}
template <class Pixel>
inline bool sdkSavePGM(const char* name, const Pixel* data, unsigned width, unsigned height) {
  FILE* file = fopen(name, "wb");
  if (!file) return false;
  fprintf(file, "P5\n%u\n%u\n255\n", width, height);
  for (size_t i = 0; i < size_t(width) * height; ++i) fputc(gpulab_byte_of(data[i]), file);
  return fclose(file) == 0;
}
