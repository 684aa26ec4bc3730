# cmake --install BUILD --prefix FOLDER makes a folder that can be copied to a machine with neither root nor our packages:
#   bin/gpulab, lib/ with every library it needs that is not part of the C library, data/ with the published schemas
#   and figures, and the manual with all that it links to.
# cmake --install BUILD --prefix FOLDER --component tests adds bin/gpulab_tests, and in share/ what it reads, for a machine
# with a GPU and no build.
function(gather program)
  # DT_RPATH also finds the libraries that libraries need; the newer DT_RUNPATH finds those of the program alone.
  # The build tree has it, too: CMake would fill its place with colons, and an empty entry means the current folder.
  set_target_properties(${program} PROPERTIES INSTALL_RPATH "\$ORIGIN/../lib" BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
  install(TARGETS ${program} RUNTIME_DEPENDENCY_SET ${program}_libraries DESTINATION bin ${ARGN})
  install(RUNTIME_DEPENDENCY_SET ${program}_libraries DESTINATION lib ${ARGN}
    PRE_EXCLUDE_REGEXES "^(ld-linux.*|lib(c|m|dl|pthread|resolv|rt))\\.so")
endfunction()

gather(gpulab)
file(GLOB data CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/*.json ${PROJECT_SOURCE_DIR}/data/*.csv
  ${PROJECT_SOURCE_DIR}/data/*.md)
install(FILES ${data} DESTINATION data)
install(FILES ${gpus} DESTINATION data/gpus)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION . OPTIONAL)
install(FILES tests/suites/README.md tests/suites/program_gaps.txt tests/suites/program_sizes.txt
  DESTINATION tests/suites OPTIONAL)
install(DIRECTORY docs DESTINATION . OPTIONAL)
install(FILES data/editors/gpulab_magic.py DESTINATION share/gpulab)
