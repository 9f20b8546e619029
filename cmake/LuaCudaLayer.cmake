# Layers: one OBJECT library per folder, and what is built from those objects. A layer is named by
# its folder, "ptx/syntax", which is in LUACUDA_SOURCES of the project or in shared/.

# The folder of a layer. A project has its own layers and those of shared/; it cannot name others.
function(_luacuda_folder result layer)
  foreach(root IN ITEMS "${LUACUDA_SOURCES}" "${LUACUDA_ROOT}/shared")
    file(GLOB files "${root}/${layer}/*.[ch]") # a folder that was moved may be left empty
    if(files)
      set(${result} "${root}/${layer}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "no layer ${layer}")
endfunction()

# luacuda_add_layer(<layer> USES <layers...> [EXCLUDE <pattern>])
# Target luacuda_<layer>, with "_" for "/", from the layer's *.c. It may include the headers of the
# layers that it uses.
function(luacuda_add_layer layer)
  cmake_parse_arguments(arg "" "EXCLUDE" "USES" ${ARGN})
  _luacuda_folder(folder "${layer}")
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.c")
  if(arg_EXCLUDE)
    file(GLOB excluded CONFIGURE_DEPENDS "${folder}/${arg_EXCLUDE}")
    if(excluded)
      list(REMOVE_ITEM sources ${excluded})
    endif()
  endif()
  _luacuda_target(target "${layer}")
  _luacuda_add_objects(${target} "${sources}" "${arg_USES}")
  if(LUACUDA_UNITY)
    _luacuda_unite(${target} "${sources}")
  endif()
  _luacuda_note_layer("${folder}" "${arg_USES}")
endfunction()

# Writes a line for spec/project/architecture_spec.lua.
function(_luacuda_note_layer folder uses)
  set(line "${folder}:")
  foreach(layer IN LISTS uses)
    _luacuda_folder(used "${layer}")
    string(APPEND line " ${used}")
  endforeach()
  string(REPLACE "${LUACUDA_ROOT}/" "" line "${line}")
  file(APPEND "${LUACUDA_LAYERS}" "${line}\n")
endfunction()

# The target of a layer.
function(_luacuda_target result folder)
  string(REPLACE "/" "_" name "${folder}")
  set(${result} "luacuda_${name}" PARENT_SCOPE)
endfunction()

function(_luacuda_add_objects target sources layers)
  add_library(${target} OBJECT ${sources})
  foreach(layer IN LISTS layers)
    _luacuda_folder(folder "${layer}")
    target_include_directories(${target} PRIVATE "${folder}")
  endforeach()
  target_link_libraries(${target} PRIVATE luacuda_flags Threads::Threads)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
endfunction()

# Compiles the sources of a layer several at a time, as one file that includes them. Files that ask
# the system's headers for more than POSIX, and those with flags of their own, are compiled alone.
function(_luacuda_unite target sources)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  foreach(source IN LISTS sources)
    file(STRINGS "${source}" asks LIMIT_COUNT 1 REGEX "^#define _[A-Z_]+_SOURCE")
    if(asks)
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# luacuda_use_lua(<layers...>): layers that include Lua's headers.
function(luacuda_use_lua)
  foreach(layer IN LISTS ARGN)
    _luacuda_target(target "${layer}")
    target_include_directories(${target} SYSTEM PRIVATE "${LUA_INCDIR}")
  endforeach()
endfunction()

# Adds the objects of the named layers to a target.
function(luacuda_link_layers target)
  foreach(layer IN LISTS ARGN)
    _luacuda_target(objects "${layer}")
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()

# luacuda_add_library(<target> <name> <layers...>)
# The library <name>.so in LUACUDA_OUTPUT.
function(luacuda_add_library target name)
  add_library(${target} MODULE "${LUACUDA_ROOT}/cmake/module.c")
  luacuda_link_layers(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE luacuda_flags m Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} SUFFIX ".so" LIBRARY_OUTPUT_DIRECTORY "${LUACUDA_OUTPUT}")
  if(NOT APPLE)
    # It has threads, and deleters of exported memory run after the Lua state that loaded the
    # library was closed.
    target_link_options(${target} PRIVATE -Wl,-z,nodelete)
  endif()
endfunction()
