# One OBJECT library per folder of src, and what is built from those objects.

include(CheckCSourceRuns)

# luacuda_add_layer(<folder> USES <folders...> [EXCLUDE <pattern>])
# Target luacuda_<folder>, with "_" for "/", from src/<folder>/*.c. Folders are relative to src.
function(luacuda_add_layer folder)
  cmake_parse_arguments(arg "" "EXCLUDE" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "src/${folder}/*.c")
  if(arg_EXCLUDE)
    file(GLOB excluded CONFIGURE_DEPENDS "src/${folder}/${arg_EXCLUDE}")
    if(excluded)
      list(REMOVE_ITEM sources ${excluded})
    endif()
  endif()
  _luacuda_target(target "${folder}")
  _luacuda_add_objects(${target} "${sources}" "${arg_USES}")
endfunction()

# The target of a layer.
function(_luacuda_target result folder)
  string(REPLACE "/" "_" name "${folder}")
  set(${result} "luacuda_${name}" PARENT_SCOPE)
endfunction()

function(_luacuda_add_objects target sources folders)
  add_library(${target} OBJECT ${sources})
  foreach(folder IN LISTS folders)
    target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src/${folder}")
  endforeach()
  target_link_libraries(${target} PRIVATE luacuda_flags Threads::Threads)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
endfunction()

# PTX fixes every rounding, so the compiler may never contract; and nothing reads errno or
# floating-point traps.
function(_luacuda_ptx_options target)
  target_compile_options(${target} PRIVATE
    -ffp-contract=off -fno-math-errno -fno-trapping-math
    $<$<NOT:$<CONFIG:Debug>>:-O3>
    # Not every loop can be vectorized for every instruction set.
    $<$<C_COMPILER_ID:Clang,AppleClang>:-Wno-pass-failed>)
endfunction()

# luacuda_tune_ptx(<layers...>): flags of the PTX machine. Files that change the rounding mode are
# ptx_round_*.c.
function(luacuda_tune_ptx)
  foreach(layer IN LISTS ARGN)
    _luacuda_target(target "${layer}")
    _luacuda_ptx_options(${target})
  endforeach()
  file(GLOB rounding CONFIGURE_DEPENDS "src/ptx/*/ptx_round_*.c")
  set_source_files_properties(${rounding} PROPERTIES COMPILE_OPTIONS "-frounding-math")
endfunction()

# src/ptx/isa/ptx_isa_*.c, the vectorized operations: compiled once per instruction set, which
# PTX_ISA names. Sets LUACUDA_PTX_ISA to the names of the layers made.
function(luacuda_add_ptx_isa)
  file(GLOB sources CONFIGURE_DEPENDS "src/ptx/isa/ptx_isa_*.c")
  _luacuda_add_isa(made ptx_isa "${sources}" "base;ptx;ptx/syntax;ptx/isa" ptx_isa)
  foreach(layer IN LISTS made)
    _luacuda_ptx_options(luacuda_${layer})
  endforeach()
  set(LUACUDA_PTX_ISA ${made} PARENT_SCOPE)
endfunction()

# A product of matrices may round once where C rounds twice.
function(luacuda_tune_gemm)
  foreach(layer IN LISTS ARGN)
    target_compile_options(luacuda_${layer} PRIVATE
      -ffp-contract=fast -fno-math-errno -fno-trapping-math $<$<NOT:$<CONFIG:Debug>>:-O3>)
  endforeach()
endfunction()

# The same for src/gemm/gemm_isa_*.c, tiles of matrices. Sets LUACUDA_GEMM_ISA.
function(luacuda_add_gemm_isa)
  file(GLOB sources CONFIGURE_DEPENDS "src/gemm/gemm_isa_*.c")
  _luacuda_add_isa(made gemm_isa "${sources}" "base;gemm" gemm)
  luacuda_tune_gemm(${made})
  set(LUACUDA_GEMM_ISA ${made} PARENT_SCOPE)
endfunction()

# Loops over codes are worth unrolling and vectorizing in full.
function(luacuda_tune_sort)
  foreach(layer IN LISTS ARGN)
    target_compile_options(luacuda_${layer} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>)
  endforeach()
endfunction()

# The same for src/sort/sort_isa_*.c, networks of vectors. Sets LUACUDA_SORT_ISA.
function(luacuda_add_sort_isa)
  file(GLOB sources CONFIGURE_DEPENDS "src/sort/sort_isa_*.c")
  _luacuda_add_isa(made sort_isa "${sources}" "base;sort" sort)
  luacuda_tune_sort(${made})
  set(LUACUDA_SORT_ISA ${made} PARENT_SCOPE)
endfunction()

# The best instruction set that this machine runs: the one that ptx_select.c chooses.
function(_luacuda_best_level result)
  set(features_v3 avx2 fma bmi bmi2 popcnt)
  set(features_v4 ${features_v3} avx512f avx512bw avx512cd avx512dq avx512vl)
  set(best v2)
  foreach(level v3 v4)
    list(TRANSFORM features_${level} REPLACE "(.+)" "&& __builtin_cpu_supports(\"\\1\")")
    list(JOIN features_${level} " " supported)
    check_c_source_runs("int main (void) { __builtin_cpu_init(); return !(1 ${supported}); }"
      LUACUDA_RUNS_${level})
    if(LUACUDA_RUNS_${level})
      set(best ${level})
    endif()
  endforeach()
  set(${result} ${best} PARENT_SCOPE)
endfunction()

# The instruction sets that LUACUDA_ISA asks for.
function(_luacuda_levels result)
  set(levels v2 v3 v4)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    set(levels base)
  elseif(LUACUDA_ISA STREQUAL "native" AND NOT CMAKE_CROSSCOMPILING)
    _luacuda_best_level(levels)
  endif()
  set(${result} "${levels}" PARENT_SCOPE)
endfunction()

# For fuzz targets, which run no lane loop: clang 14 crashes when it instruments those of PTX.
# Linked after luacuda_flags: of two flags the last one counts.
add_library(luacuda_plain INTERFACE)
target_compile_options(luacuda_plain INTERFACE -fno-sanitize=all -O0 -g0)

# One library <prefix>_<level> of the sources per instruction set, with PTX_ISA=<level>. The layer
# <chooser> learns which ones there are (lcu_isa.h).
function(_luacuda_add_isa result prefix sources folders chooser)
  _luacuda_levels(levels)
  set(made "")
  foreach(level IN LISTS levels)
    set(target luacuda_${prefix}_${level})
    _luacuda_add_objects(${target} "${sources}" "${folders}")
    target_compile_definitions(${target} PRIVATE PTX_ISA=${level} LUACUDA_ISA_${level})
    target_compile_definitions(luacuda_${chooser} PRIVATE LUACUDA_ISA_${level})
    if(LUACUDA_FUZZ)
      target_link_libraries(${target} PRIVATE luacuda_plain)
    endif()
    if(NOT level STREQUAL "base")
      target_compile_options(${target} PRIVATE -march=x86-64-${level})
    endif()
    if(level STREQUAL "v4")
      # gcc prefers 256-bit vectors even here; a warp of 32-bit lanes is two full registers.
      target_compile_options(${target} PRIVATE -mprefer-vector-width=512)
    endif()
    list(APPEND made ${prefix}_${level})
  endforeach()
  set(${result} ${made} PARENT_SCOPE)
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

# Programs of spec/c look for the CPU device, and that for its program, in their own folder.
# libcuda.so is a copy for tests in which the library is GPUs: a process that has opened it and the
# CPU device has two libraries.
function(_luacuda_add_cpu_for_programs)
  add_custom_target(luacuda_cpu_for_programs DEPENDS luacuda_cpu_library
    COMMAND ${CMAKE_COMMAND} -E make_directory "${CMAKE_BINARY_DIR}/spec")
  foreach(file luacuda-llvm libluacuda_cpu.so)
    add_custom_command(TARGET luacuda_cpu_for_programs POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E create_symlink
        "${CMAKE_BINARY_DIR}/luacuda/${file}" "${CMAKE_BINARY_DIR}/spec/${file}")
  endforeach()
  add_custom_command(TARGET luacuda_cpu_for_programs POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy_if_different
      "${CMAKE_BINARY_DIR}/luacuda/libluacuda_cpu.so" "${CMAKE_BINARY_DIR}/spec/libcuda.so")
endfunction()

# An executable of spec/c: it may see every layer below lua.
function(_luacuda_add_c_program name source)
  if(NOT TARGET luacuda_cpu_for_programs)
    _luacuda_add_cpu_for_programs()
  endif()
  add_executable(${name} "${source}")
  foreach(folder IN LISTS LUACUDA_MACHINE_FOLDERS)
    target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src/${folder}")
  endforeach()
  luacuda_link_layers(${name} ${LUACUDA_MACHINE})
  target_link_libraries(${name} PRIVATE luacuda_flags m Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(${name} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/spec")
  add_dependencies(${name} luacuda_cpu_for_programs)
endfunction()

# spec/c/fake_*.c: libraries that stand in for NVIDIA's in tests. They see base and cuda.
function(_luacuda_add_fakes)
  file(GLOB sources CONFIGURE_DEPENDS "spec/c/fake_*.c")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    add_library(${name} MODULE "${source}")
    target_include_directories(${name} PRIVATE
      "${CMAKE_CURRENT_SOURCE_DIR}/src/base" "${CMAKE_CURRENT_SOURCE_DIR}/src/cuda"
      "${CMAKE_CURRENT_SOURCE_DIR}/src/mpi" "${CMAKE_CURRENT_SOURCE_DIR}/src/cpu")
    luacuda_link_layers(${name} ${LUACUDA_MACHINE})
    target_link_libraries(${name} PRIVATE luacuda_flags m Threads::Threads ${CMAKE_DL_LIBS})
    set_target_properties(${name} PROPERTIES
      PREFIX "" SUFFIX ".so" C_VISIBILITY_PRESET hidden
      C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
      LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/spec")
  endforeach()
endfunction()

function(luacuda_add_c_tests)
  _luacuda_add_fakes()
  file(GLOB sources CONFIGURE_DEPENDS "spec/c/test_*.c")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    _luacuda_add_c_program(${name} "${source}")
    target_compile_definitions(${name} PRIVATE FAKE_LIBRARIES="${CMAKE_BINARY_DIR}/spec")
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    set_tests_properties(${name} PROPERTIES TIMEOUT 300)
  endforeach()
endfunction()

# Target "fuzz": programs with libFuzzer on instrumented layers, one for each spec/c/fuzz_*.c.
# fuzz_reader.c makes one for each spec/fuzz/*.lua, which reads its input in an embedded Lua.
function(luacuda_add_fuzz_targets)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "LUACUDA_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
  endif()
  find_library(LUACUDA_FUZZ_LUA NAMES lua${LUA_VERSION_SHORT} lua-${LUA_VERSION_SHORT} lua REQUIRED)
  add_custom_target(fuzz)
  file(GLOB sources CONFIGURE_DEPENDS "spec/c/fuzz_*.c")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    if(NOT name STREQUAL "fuzz_reader")
      _luacuda_add_fuzz_program(${name} "${source}")
    endif()
  endforeach()
  file(GLOB readers CONFIGURE_DEPENDS "spec/fuzz/*.lua")
  foreach(reader IN LISTS readers)
    get_filename_component(name "${reader}" NAME_WE)
    _luacuda_add_fuzz_program(fuzz_${name} "spec/c/fuzz_reader.c")
    luacuda_link_layers(fuzz_${name} ${LUACUDA_LUA_ROOMS} lua)
    target_include_directories(fuzz_${name} SYSTEM PRIVATE "${LUA_INCDIR}")
    target_link_libraries(fuzz_${name} PRIVATE "${LUACUDA_FUZZ_LUA}")
    target_compile_definitions(fuzz_${name} PRIVATE
      FUZZ_READER="${name}" FUZZ_ROOT="${CMAKE_CURRENT_SOURCE_DIR}")
  endforeach()
endfunction()

function(_luacuda_add_fuzz_program name source)
  _luacuda_add_c_program(${name} "${source}")
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz ${name})
endfunction()
