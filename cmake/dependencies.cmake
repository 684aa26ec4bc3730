# Every library the program uses, behind two targets. Each is used in one layer; tests/layering.cmake checks it.
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
set(Boost_USE_STATIC_LIBS ON)  # one jump less for every switch of fibers
find_package(Boost REQUIRED COMPONENTS context)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)

add_library(gpulab_dependencies INTERFACE)
target_link_libraries(gpulab_dependencies INTERFACE CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json
  Boost::context OpenMP::OpenMP_CXX Threads::Threads ${CMAKE_DL_LIBS})

# The image formats: only the source files of src/image/ see their headers. Debian's CFITSIO can also read over the network,
# and so brings libcurl with GnuTLS and Kerberos. docs/install.md says what that costs.
find_package(PNG REQUIRED)
find_path(CFITSIO_INCLUDE_DIR fitsio.h PATH_SUFFIXES cfitsio REQUIRED)
find_library(CFITSIO_LIBRARY cfitsio REQUIRED)
add_library(gpulab_image_formats INTERFACE)
target_include_directories(gpulab_image_formats SYSTEM INTERFACE ${CFITSIO_INCLUDE_DIR})
target_link_libraries(gpulab_image_formats INTERFACE ${CFITSIO_LIBRARY} PNG::PNG)

# The filter of system calls around learners' kernels. Without it gpulab doctor says that it is missing.
find_path(SECCOMP_INCLUDE_DIR seccomp.h)
find_library(SECCOMP_LIBRARY seccomp)
if(SECCOMP_INCLUDE_DIR AND SECCOMP_LIBRARY)
  target_include_directories(gpulab_dependencies SYSTEM INTERFACE ${SECCOMP_INCLUDE_DIR})
  target_link_libraries(gpulab_dependencies INTERFACE ${SECCOMP_LIBRARY})
  target_compile_definitions(gpulab_dependencies INTERFACE GPULAB_HAS_SECCOMP)
else()
  message(STATUS "no libseccomp: learners' kernels will be confined less")
endif()

# toml++ reads files that instructors write. Only its headers are used, though Debian has it as a library too.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
target_include_directories(gpulab_dependencies SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE_DIR})
target_compile_definitions(gpulab_dependencies INTERFACE TOML_HEADER_ONLY=1)

# Calls kernels whose parameters are known at run time alone: those of an instructor's exercises.
find_path(FFI_INCLUDE_DIR ffi.h REQUIRED)
find_library(FFI_LIBRARY ffi REQUIRED)
target_include_directories(gpulab_dependencies SYSTEM INTERFACE ${FFI_INCLUDE_DIR})
target_link_libraries(gpulab_dependencies INTERFACE ${FFI_LIBRARY})

# Draws the figures of `gpulab report`. Its text becomes part of every page, so that a page needs nothing else.
find_file(GPULAB_CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js /usr/local/share/javascript/chart.js NO_DEFAULT_PATH)
if(NOT GPULAB_CHART_JS)
  message(STATUS "no Chart.js (Debian: libjs-chart.js): gpulab report will write no HTML")
  set(GPULAB_CHART_JS "" CACHE FILEPATH "chart.min.js of Chart.js 3" FORCE)
endif()

# Only the headers of the CUDA Toolkit are needed: the driver and NVRTC are opened at run time.
option(GPULAB_CUDA "build the cuda device when the CUDA Toolkit is found" ON)
set(gpulab_has_cuda OFF)
if(GPULAB_CUDA)
  find_package(CUDAToolkit 12.0 QUIET)
  set(gpulab_has_cuda ${CUDAToolkit_FOUND})
endif()
if(gpulab_has_cuda)
  message(STATUS "CUDA Toolkit ${CUDAToolkit_VERSION}: building the cuda device and the simulator")
  target_include_directories(gpulab_dependencies SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
  target_compile_definitions(gpulab_dependencies INTERFACE GPULAB_HAS_CUDA)
else()
  message(STATUS "no CUDA Toolkit: building the simulator alone (kernels will run on the CPU)")
endif()
