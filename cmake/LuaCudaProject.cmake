# What the two projects have in common: that of this repository, and that of cpu/, which can also be
# configured alone. Included first by both; in the whole repository the second time does nothing.
#
# Sets LUACUDA_OUTPUT, the folder for what is built, where it is not set.
include_guard(GLOBAL)

set(LUACUDA_LAYERS "${CMAKE_BINARY_DIR}/layers.txt")
file(WRITE "${LUACUDA_LAYERS}" "") # a line for each layer: its folder, and those that it may use
get_filename_component(LUACUDA_ROOT "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)
if(NOT LUACUDA_OUTPUT)
  set(LUACUDA_OUTPUT "${CMAKE_BINARY_DIR}")
endif()

set(LUACUDA_ISA portable CACHE STRING "Instruction sets: native or portable")
if(NOT LUACUDA_ISA MATCHES "^(native|portable)$")
  message(FATAL_ERROR "LUACUDA_ISA is '${LUACUDA_ISA}', expected native or portable")
endif()
option(LUACUDA_UNITY "Compile the files of a folder several at a time" ON)
if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
endif()
option(LUACUDA_WERROR "Treat warnings as errors" OFF)
option(LUACUDA_C_TESTS "Build the C tests" OFF)
option(LUACUDA_FUZZ "Build the fuzz targets (clang)" OFF)
set(LUACUDA_SANITIZE "" CACHE STRING "Sanitizers for every target")
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# CMake's default takes a fifth longer. Loops that are worth it ask for it (LuaCudaKernels.cmake).
if(CMAKE_C_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
  set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()
if(LUACUDA_C_TESTS)
  enable_testing()
endif()

find_package(Threads REQUIRED)
include(LuaCudaFlags)
include(LuaCudaLayer)
include(LuaCudaTests)
luacuda_add_flags(luacuda_flags)
add_subdirectory("${LUACUDA_ROOT}/shared" shared)
set(LUACUDA_SHARED base cuda)
