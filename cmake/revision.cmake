# The facts that --version prints. The git revision is read at every build, and the file touched only when it changed.
set(revision_file ${PROJECT_BINARY_DIR}/generated/revision.cpp)
add_custom_target(gpulab_revision
  COMMAND ${CMAKE_COMMAND} -D output=${revision_file} -D source=${PROJECT_SOURCE_DIR} -D version=${PROJECT_VERSION}
          -D "compiler=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" -D build_type=${CMAKE_BUILD_TYPE}
          -D "cuda=${CUDAToolkit_VERSION}" -P ${PROJECT_SOURCE_DIR}/cmake/write_revision.cmake
  BYPRODUCTS ${revision_file} VERBATIM)
list(APPEND generated_sources ${revision_file})
