# A first build compiles the files of a folder together, since most of the time goes to the headers that they share. The
# groups are small enough that the next builds stay short, and a file that comes or goes moves only its neighbours.
option(GPULAB_UNITY "compile the files of a folder together, with common headers compiled once" ON)

# compile_folders_together(TARGET LINES FILE...) compiles the files of each folder in src/ and tests/, with its subfolders,
# and all of exercises/, in groups of about LINES lines. Those of src/ that use the large headers of the JSON library are
# one folder. Other files of the target are compiled alone.
function(compile_folders_together target most_lines)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${GPULAB_UNITY} UNITY_BUILD_MODE GROUP)
  foreach(file IN LISTS ARGN)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${file})
    string(REGEX REPLACE "^(exercises|[^/]+/[^/]+)/.*" "\\1" folder ${path})
    if(path MATCHES "^src/.*json")
      set(folder json)
    endif()
    string(MAKE_C_IDENTIFIER ${folder} folder)
    file(STRINGS ${file} lines REGEX ".")
    list(LENGTH lines count)
    if(NOT DEFINED group_of_${folder})
      set(group_of_${folder} 0)
      set(lines_of_${folder} 0)
    elseif(lines_of_${folder} GREATER most_lines)
      math(EXPR group_of_${folder} "${group_of_${folder}} + 1")
      set(lines_of_${folder} 0)
    endif()
    math(EXPR lines_of_${folder} "${lines_of_${folder}} + ${count}")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${folder}_${group_of_${folder}})
  endforeach()
endfunction()

# compile_headers_once(TARGET HEADER...) precompiles the headers, which each group includes.
function(compile_headers_once target)
  if(GPULAB_UNITY)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
