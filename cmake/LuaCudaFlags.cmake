# luacuda_add_flags(<target>): an INTERFACE library with the language level, the warnings and the
# sanitizers that every target of the project shares.

include(CheckCCompilerFlag)

function(luacuda_add_flags target)
  add_library(${target} INTERFACE)
  target_compile_features(${target} INTERFACE c_std_11)
  target_compile_definitions(${target} INTERFACE _POSIX_C_SOURCE=200809L)
  target_compile_options(${target} INTERFACE
    -Wall -Wextra -Wconversion -Wshadow -Wundef -Wmissing-prototypes -Wstrict-prototypes
    # A Lua built as C++ throws through our frames.
    -fasynchronous-unwind-tables
    $<$<BOOL:${LUACUDA_WERROR}>:-Werror>)
  # Bindings call Lua by the million: one jump less for each.
  check_c_compiler_flag(-fno-plt LUACUDA_HAS_NO_PLT)
  if(LUACUDA_HAS_NO_PLT)
    target_compile_options(${target} INTERFACE -fno-plt)
  endif()
  if(LUACUDA_FUZZ)
    target_compile_options(${target} INTERFACE -fsanitize=fuzzer-no-link)
  endif()
  if(LUACUDA_SANITIZE)
    set(flags -fsanitize=${LUACUDA_SANITIZE} -fno-omit-frame-pointer)
    if(NOT LUACUDA_SANITIZE STREQUAL "thread")
      list(APPEND flags -fno-sanitize-recover=all)
    endif()
    target_compile_options(${target} INTERFACE ${flags})
    target_link_options(${target} INTERFACE ${flags})
  endif()
endfunction()
