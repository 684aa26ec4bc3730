# The parts of a report's page that are the same in every report, as a generated source.
set(page_parts ${PROJECT_SOURCE_DIR}/src/bench/page/page)
set(embedded_page ${PROJECT_BINARY_DIR}/generated/embedded_page.cpp)
add_custom_command(
  OUTPUT ${embedded_page}
  COMMAND ${CMAKE_COMMAND} -D output=${embedded_page} -D style=${page_parts}.css -D script=${page_parts}.js
          -D "charts=${GPULAB_CHART_JS}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  DEPENDS ${page_parts}.css ${page_parts}.js ${GPULAB_CHART_JS} ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  COMMENT "Embedding the report's page" VERBATIM)
list(APPEND generated_sources ${embedded_page})
