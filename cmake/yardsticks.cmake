# Yardsticks: library calls that lessons are measured beside, each library in a shared object of its own that the program
# opens at run time (src/yardsticks/yardstick.hpp). What is missing here is left out, and a line says so.
option(GPULAB_YARDSTICKS "build the yardsticks for whose library is found" ON)
set(GPULAB_CUDA_ARCHITECTURES "75;80;90" CACHE STRING "GPUs that CUB's kernels are compiled for")

function(add_yardsticks name)
  add_library(gpulab_${name} MODULE ${ARGN})
  target_include_directories(gpulab_${name} PRIVATE src)
  target_link_libraries(gpulab_${name} PRIVATE CUDA::cudart_static)
  set_target_properties(gpulab_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
    CUDA_VISIBILITY_PRESET hidden INSTALL_RPATH "/usr/local/cuda/lib64")
  add_dependencies(gpulab gpulab_${name})
  install(TARGETS gpulab_${name} DESTINATION lib)
  message(STATUS "yardsticks of ${name}: built")
endfunction()

function(leave_out name why)
  message(STATUS "yardsticks of ${name}: left out, ${why}")
endfunction()

function(add_library_yardsticks name library header)
  find_library(gpulab_${name}_library ${name} HINTS ${CUDAToolkit_LIBRARY_DIR})
  find_path(gpulab_${name}_header ${header} HINTS ${CUDAToolkit_INCLUDE_DIRS})
  if(NOT gpulab_${name}_library OR NOT gpulab_${name}_header)
    leave_out(${name} "${library} is not found")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS src/yardsticks/${name}*.cpp)
  add_yardsticks(${name} ${sources})
  target_include_directories(gpulab_${name} SYSTEM PRIVATE ${gpulab_${name}_header} ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(gpulab_${name} PRIVATE ${gpulab_${name}_library})
endfunction()

if(NOT gpulab_has_cuda OR NOT GPULAB_YARDSTICKS)
  return()
endif()

# A language can only be enabled outside of functions.
include(CheckLanguage)
if(NOT CMAKE_CUDA_COMPILER AND CUDAToolkit_NVCC_EXECUTABLE)
  set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
endif()
set(CMAKE_CUDA_ARCHITECTURES ${GPULAB_CUDA_ARCHITECTURES})
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 17)  # CMake 3.25 does not know that nvcc has C++20
  add_yardsticks(cub src/yardsticks/cub.cu)
else()
  leave_out(cub "nvcc is not found")
endif()
add_library_yardsticks(cublas cuBLAS cublas_v2.h)
add_library_yardsticks(cudnn cuDNN cudnn.h)
