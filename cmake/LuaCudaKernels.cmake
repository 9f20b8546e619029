# How the CPU device's loops are compiled: flags, and once for each instruction set.

include(CheckCSourceRuns)

# Loops that are worth vectorizing and unrolling in full.
function(_luacuda_tune_loops target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>)
endfunction()

# PTX fixes every rounding, so the compiler may never contract; and nothing reads errno or
# floating-point traps.
function(_luacuda_ptx_options target)
  target_compile_options(${target} PRIVATE
    -ffp-contract=off -fno-math-errno -fno-trapping-math
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
  foreach(room IN ITEMS isa grid run)
    _luacuda_tune_loops(luacuda_ptx_${room})
  endforeach()
  file(GLOB rounding CONFIGURE_DEPENDS "${LUACUDA_SOURCES}/ptx/*/ptx_round_*.c")
  set_source_files_properties(${rounding} PROPERTIES COMPILE_OPTIONS "-frounding-math")
endfunction()

# ptx/isa/ptx_isa_*.c, the vectorized operations: compiled once per instruction set, which
# PTX_ISA names. Sets LUACUDA_PTX_ISA to the names of the layers made.
function(luacuda_add_ptx_isa)
  file(GLOB sources CONFIGURE_DEPENDS "${LUACUDA_SOURCES}/ptx/isa/ptx_isa_*.c")
  _luacuda_add_isa(made ptx_isa "${sources}" "base;ptx;ptx/syntax;ptx/isa" ptx_isa)
  foreach(layer IN LISTS made)
    _luacuda_ptx_options(luacuda_${layer})
    _luacuda_tune_loops(luacuda_${layer})
  endforeach()
  set(LUACUDA_PTX_ISA ${made} PARENT_SCOPE)
endfunction()

# A product of matrices may round once where C rounds twice.
function(luacuda_tune_gemm)
  foreach(layer IN LISTS ARGN)
    target_compile_options(luacuda_${layer} PRIVATE
      -ffp-contract=fast -fno-math-errno -fno-trapping-math)
    _luacuda_tune_loops(luacuda_${layer})
  endforeach()
endfunction()

# The same for gemm/gemm_isa_*.c, tiles of matrices. Sets LUACUDA_GEMM_ISA.
function(luacuda_add_gemm_isa)
  file(GLOB sources CONFIGURE_DEPENDS "${LUACUDA_SOURCES}/gemm/gemm_isa_*.c")
  _luacuda_add_isa(made gemm_isa "${sources}" "base;gemm" gemm)
  luacuda_tune_gemm(${made})
  set(LUACUDA_GEMM_ISA ${made} PARENT_SCOPE)
endfunction()

function(luacuda_tune_sort)
  foreach(layer IN LISTS ARGN)
    _luacuda_tune_loops(luacuda_${layer})
  endforeach()
endfunction()

# The same for sort/sort_isa_*.c, networks of vectors. Sets LUACUDA_SORT_ISA.
function(luacuda_add_sort_isa)
  file(GLOB sources CONFIGURE_DEPENDS "${LUACUDA_SOURCES}/sort/sort_isa_*.c")
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
