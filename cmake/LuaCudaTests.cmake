# Programs of tests, and libraries that stand in for NVIDIA's. They are built into build/*/spec.

# An executable that may see the folders of its layers and shared/test.
function(_luacuda_add_c_program name source layers)
  add_executable(${name} "${source}")
  target_include_directories(${name} PRIVATE "${LUACUDA_ROOT}/shared/test")
  _luacuda_link_for_tests(${name} "${layers}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/spec")
  add_dependencies(${name} luacuda_cpu_for_programs)
endfunction()

function(_luacuda_link_for_tests target layers)
  foreach(layer IN LISTS layers)
    if(NOT layer MATCHES "_isa_") # the same folder for another instruction set
      _luacuda_folder(folder "${layer}")
      target_include_directories(${target} PRIVATE "${folder}")
    endif()
  endforeach()
  luacuda_link_layers(${target} ${layers})
  target_link_libraries(${target} PRIVATE luacuda_flags m Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
endfunction()

# luacuda_add_c_tests(<folder> LAYERS <layers...>): <folder>/test_*.c, registered with ctest.
function(luacuda_add_c_tests folder)
  cmake_parse_arguments(arg "" "" "LAYERS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/test_*.c")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    _luacuda_add_c_program(${name} "${source}" "${arg_LAYERS}")
    target_compile_definitions(${name} PRIVATE FAKE_LIBRARIES="${CMAKE_BINARY_DIR}/spec")
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${LUACUDA_ROOT}")
    set_tests_properties(${name} PROPERTIES TIMEOUT 300)
  endforeach()
endfunction()

# luacuda_add_fakes(<folder> LAYERS <layers...>): <folder>/fake_*.c, libraries that stand in for
# NVIDIA's in tests.
function(luacuda_add_fakes folder)
  cmake_parse_arguments(arg "" "" "LAYERS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/fake_*.c")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    add_library(${name} MODULE "${source}")
    _luacuda_link_for_tests(${name} "${arg_LAYERS}")
    set_target_properties(${name} PROPERTIES
      PREFIX "" SUFFIX ".so" C_VISIBILITY_PRESET hidden
      LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/spec")
  endforeach()
endfunction()

# luacuda_add_fuzz_programs(<folder> LAYERS <layers...>): target "fuzz", programs with libFuzzer on
# instrumented layers, one for each <folder>/fuzz_*.c.
function(luacuda_add_fuzz_programs folder)
  cmake_parse_arguments(arg "" "" "LAYERS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/fuzz_*.c")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    if(NOT name STREQUAL "fuzz_reader")
      _luacuda_add_fuzz_program(${name} "${source}" "${arg_LAYERS}")
    endif()
  endforeach()
endfunction()

# luacuda_add_fuzz_readers(LAYERS <layers...>): the same for spec/fuzz/*.lua, which fuzz_reader.c
# runs in an embedded Lua.
function(luacuda_add_fuzz_readers)
  cmake_parse_arguments(arg "" "" "LAYERS" ${ARGN})
  find_library(LUACUDA_FUZZ_LUA NAMES lua${LUA_VERSION_SHORT} lua-${LUA_VERSION_SHORT} lua REQUIRED)
  file(GLOB readers CONFIGURE_DEPENDS "spec/fuzz/*.lua")
  foreach(reader IN LISTS readers)
    get_filename_component(name "${reader}" NAME_WE)
    _luacuda_add_fuzz_program(fuzz_${name} "spec/c/fuzz_reader.c" "${arg_LAYERS}")
    target_include_directories(fuzz_${name} SYSTEM PRIVATE "${LUA_INCDIR}")
    target_link_libraries(fuzz_${name} PRIVATE "${LUACUDA_FUZZ_LUA}")
    target_compile_definitions(fuzz_${name} PRIVATE
      FUZZ_READER="${name}" FUZZ_ROOT="${CMAKE_CURRENT_SOURCE_DIR}")
  endforeach()
endfunction()

function(_luacuda_add_fuzz_program name source layers)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "LUACUDA_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
  endif()
  if(NOT TARGET fuzz)
    add_custom_target(fuzz)
  endif()
  _luacuda_add_c_program(${name} "${source}" "${layers}")
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz ${name})
endfunction()
