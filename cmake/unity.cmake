# A first build compiles the files of a folder together, since most of the time goes to the headers that they share.
# Few files at once and the same ones each time keep the next builds short: a file that changes, comes or goes takes
# only its neighbours along.
option(GPULAB_UNITY "compile the files of a folder together" ON)

# compile_folders_together(TARGET AT_ONCE FILE...): the files of one folder below src/, exercises/ or tests/, subfolders
# and all, in groups of at most AT_ONCE that are equally long. Generated files and those that are not named stay alone.
function(compile_folders_together target at_once)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${GPULAB_UNITY} UNITY_BUILD_MODE GROUP)
  set(folders "")
  foreach(file IN LISTS ARGN)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${file})
    string(REGEX REPLACE "^(exercises|[^/]+/[^/]+)/.*" "\\1" folder ${path})
    string(MAKE_C_IDENTIFIER ${folder} folder)
    list(APPEND folders ${folder})
    list(APPEND files_of_${folder} ${file})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH files_of_${folder} count)
    math(EXPR groups "(${count} + ${at_once} - 1) / ${at_once}")
    set(index 0)
    foreach(file IN LISTS files_of_${folder})
      math(EXPR group "${index} * ${groups} / ${count}")
      math(EXPR index "${index} + 1")
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${folder}_${group})
    endforeach()
  endforeach()
endfunction()
