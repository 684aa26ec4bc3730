# cpack -G DEB --config deb.cmake, for script/package: the fields of the .deb, which has the files of a folder as they are.
set(CPACK_PACKAGE_NAME gpulab)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "CUDA lessons and exercises, on a GPU or on a simulator")
set(CPACK_PACKAGE_DESCRIPTION "gpulab runs every step of a GPU workshop, checks the kernels that
learners write and says what is wrong with them: races, missing barriers,
wrong indices. It needs no GPU, since a simulator runs and watches the
kernels. With an NVIDIA driver and the CUDA Toolkit they run on the GPU
too, and are measured.")
set(CPACK_PACKAGE_FILE_NAME gpulab)
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_TOPLEVEL_TAG deb)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "g++ | clang")  # the simulator compiles kernels with it
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "clangd")
set(CPACK_STRIP_FILES OFF)
