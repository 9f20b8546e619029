# Sourced by tools/run, tools/test and .ci/run: installs what is missing, builds, and sets the
# environment for lua5.4. Each step first checks whether anything needs to be done.
#
# Environment: LUACUDA_PRESET   CMake preset to build (default release)
#              CC               compiler for a first configure of that preset
#              LUACUDA_JOBS     number of parallel compilations, and of spec files in tools/test
#                               (default: one per processor)
# shellcheck shell=bash

luacuda_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
luacuda_preset=${LUACUDA_PRESET:-release}
luacuda_build=$luacuda_root/build/$luacuda_preset
luacuda_toolkit=$luacuda_root/build/cuda

# The compiler with which the CPU device's PTX engine is tested, in exact versions.
luacuda_wheels="nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96"
luacuda_wheels+=" nvidia-cuda-crt==13.0.88 nvidia-cuda-cccl==13.0.85"

say() { printf 'luacuda: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# --- packages ------------------------------------------------------------------------------------

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "need root (or sudo) for: $*"
  fi
}

# Prints the names of missing packages. Arguments: NAME=TEST, where TEST is a path that must exist
# or a command that must be found.
missing_packages() {
  local pair test
  for pair in "$@"; do
    test=${pair#*=}
    case $test in
      /*) [ -e "$test" ] ;;
      *) command -v "$test" >/dev/null ;;
    esac || printf '%s ' "${pair%%=*}"
  done
}

install_packages() {
  local packages
  packages=$(missing_packages "$@")
  [ -n "$packages" ] || return 0
  command -v apt-get >/dev/null ||
    die "missing: $packages(Debian's names); install them yourself, since apt-get is not available"
  say "installing with apt-get: $packages"
  local log
  log=$(mktemp)
  # shellcheck disable=SC2086 # a list of words
  as_root env DEBIAN_FRONTEND=noninteractive sh -c '
    apt-get update -qq &&
      apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "$@"' sh $packages \
    >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; die "apt-get could not install: $packages(log: $log)"; }
  rm -f "$log"
}

# Installs the packages needed to build and run, and those in the arguments.
setup_packages() {
  local wanted=(gcc=cc libc6-dev=/usr/include/stdio.h make=make cmake=cmake
    lua5.4=/usr/bin/lua5.4 liblua5.4-dev=/usr/include/lua5.4/lua.h "$@")
  if needs_download; then
    wanted+=(python3=python3 ca-certificates=/etc/ssl/certs/ca-certificates.crt)
    python3 -m pip --version >/dev/null 2>&1 || wanted+=(python3-pip=/usr/bin/pip3)
  fi
  install_packages "${wanted[@]}"
}

# --- libLLVM, with which kernels of the CPU device run faster; nothing needs it -------------------

# The supported versions, newest first. cpu/docs/machine.md says how to add one.
llvm_versions="21 20 19 18 17 16 15"

llvm_present() {
  local file
  [ -n "${LUACUDA_LLVM:-}" ] && return 0
  for file in /usr/lib/*/libLLVM-1[5-9].so* /usr/lib/*/libLLVM.so.[12][0-9]*; do
    [ -e "$file" ] && return 0
  done
  return 1
}

# The newest package that the distribution has; nothing if it has none.
llvm_package() {
  local version
  for version in $llvm_versions; do
    [ -z "$(apt-cache madison "libllvm$version" 2>/dev/null)" ] ||
      { printf 'libllvm%s' "$version"; return; }
  done
}

# The library of a version that is installed.
llvm_file() {
  local file
  for file in /usr/lib/*/"libLLVM.so.$1".* /usr/lib/*/"libLLVM-$1.so.1"; do
    [ ! -e "$file" ] || { printf '%s' "$file"; return; }
  done
}

# Installs it where that needs no password. Tries once per build folder, and may fail.
setup_llvm() {
  local stamp=$luacuda_root/build/.llvm-tried package
  if llvm_present || [ -e "$stamp" ] || ! command -v apt-get >/dev/null; then return 0; fi
  mkdir -p "$luacuda_root/build"
  : >"$stamp"
  [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || return 0
  [ -n "$(llvm_package)" ] || as_root apt-get update -qq >/dev/null 2>&1 || true
  package=$(llvm_package)
  [ -n "$package" ] || return 0
  say "installing with apt-get: $package (kernels of the CPU device run faster with it)"
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "$package" \
    >/dev/null 2>&1 || say "apt-get could not install $package"
}

# --- NVRTC and CUDA's headers --------------------------------------------------------------------

has_headers() { [ -e "$1/include/cuda_fp16.h" ]; }

# Is $1 the root of a toolkit: libnvrtc and headers?
is_toolkit() {
  local lib
  has_headers "$1" || return 1
  for lib in "$1"/lib64/libnvrtc.so* "$1"/lib/libnvrtc.so* "$1"/lib/*-linux-gnu/libnvrtc.so*; do
    [ -e "$lib" ] && return 0
  done
  return 1
}

# Does the library's own search find a toolkit on this machine?
toolkit_present() {
  local root
  [ -n "${LUACUDA_NVRTC:-}" ] && return 0
  for root in "${LUACUDA_CUDA_HOME:-}" "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /usr; do
    [ -n "$root" ] && is_toolkit "$root" && return 0
  done
  return 1
}

# Unpacks lib and include of the wheels in $1 as the toolkit $2.
unpack_wheels() {
  local wheel
  for wheel in "$1"/*.whl; do
    python3 -m zipfile -e "$wheel" "$1/unpacked" || return 1
  done
  mkdir -p "$2/lib" "$2/licenses" &&
    mv "$1"/unpacked/nvidia/cu13/include "$2" &&
    mv "$1"/unpacked/nvidia/cu13/lib/libnvrtc.so* "$2/lib" &&
    mv "$1"/unpacked/nvidia/cu13/lib/libnvrtc-builtins.so* "$2/lib" &&
    find "$1/unpacked" -type f -iname 'license*' -path '*dist-info*' |
      while read -r file; do
        cp "$file" "$2/licenses/$(basename "${file%%.dist-info*}").txt"
      done
}

download_toolkit() {
  local work=$luacuda_toolkit.part.$$
  say "no CUDA toolkit found: downloading NVIDIA's compiler library and headers (about 100 MB)"
  say "from PyPI into build/cuda: $luacuda_wheels"
  say "(NVIDIA's license: https://docs.nvidia.com/cuda/eula)"
  rm -rf "$work"; mkdir -p "$work"
  # shellcheck disable=SC2086 # a list of words
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    -d "$work" $luacuda_wheels >&2 || {
    rm -rf "$work"
    die "the download failed; set LUACUDA_CUDA_HOME to a CUDA toolkit, or try again"
  }
  unpack_wheels "$work" "$work/toolkit" ||
    { rm -rf "$work"; die "the wheels could not be unpacked"; }
  rm -rf "$luacuda_toolkit"
  mv "$work/toolkit" "$luacuda_toolkit"
  rm -rf "$work"
}

needs_download() { ! toolkit_present && ! is_toolkit "$luacuda_toolkit"; }

setup_toolkit() {
  if needs_download; then download_toolkit; fi
  toolkit_present || export LUACUDA_CUDA_HOME=$luacuda_toolkit
}

# --- build ---------------------------------------------------------------------------------------

job_count() { printf '%s' "${LUACUDA_JOBS:-$(getconf _NPROCESSORS_ONLN)}"; }

# Runs a command with its output in a log; shows the end of the log if it fails.
logged() {
  local log=$luacuda_build/setup.log
  "$@" >>"$log" 2>&1 || { tail -n 60 "$log" >&2; die "failed: $* (full log: $log)"; }
}

# Shows every second how far the build in the log is, until this shell ends.
show_progress() {
  local part
  while sleep 1 && kill -0 $$ 2>/dev/null; do
    part=$(grep -o '^\[[^]]*\]' "$luacuda_build/setup.log" | tail -n 1) || true
    printf '\r%s ' "$part" >&2
  done
}

# logged, with the progress where standard error is a terminal.
logged_build() {
  local shower=''
  if [ -t 2 ]; then show_progress 9>&- & shower=$!; fi
  local status=0
  (logged "$@") || status=$?
  if [ -n "$shower" ]; then
    kill "$shower" 2>/dev/null || true
    printf '\r\033[K' >&2
  fi
  [ "$status" = 0 ] || exit "$status"
}

# A stamp is newer than every file and folder that the build reads.
is_fresh() {
  [ -e "$1" ] && [ -z "$(cd "$luacuda_root" &&
    find CMakeLists.txt CMakePresets.json cmake shared cpu src spec/c -newer "$1" -print -quit)" ]
}

is_built() { is_fresh "$luacuda_build/.stamp-$1" || is_fresh "$luacuda_build/.stamp-all"; }

# build TARGET: "luacuda_module" or "all". Of several processes in one folder, only one builds.
build() {
  if is_built "$1"; then return 0; fi
  mkdir -p "$luacuda_build"
  exec 9>"$luacuda_build/.lock"
  flock 9
  is_built "$1" || build_now "$1"
  exec 9>&-
}

# The tree that CMake made a build folder for.
tree_of_build() { sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$1/CMakeCache.txt" 2>/dev/null; }

build_now() {
  local started
  : >"$luacuda_build/setup.log"
  started=$(mktemp)
  say "building build/$luacuda_preset ($1)"
  # A build folder that was copied or moved would build the tree that it was made for.
  [ "$(tree_of_build "$luacuda_build")" -ef "$luacuda_root" ] ||
    rm -f "$luacuda_build/CMakeCache.txt"
  if [ ! "$luacuda_build/CMakeCache.txt" -nt "$luacuda_root/CMakePresets.json" ]; then
    (cd "$luacuda_root" && logged cmake --preset "$luacuda_preset")
  fi
  logged_build cmake --build "$luacuda_build" --parallel "$(job_count)" --target "$1"
  # As old as the start, so that a file edited meanwhile is built next time.
  mv "$started" "$luacuda_build/.stamp-$1"
}

# --- environment ---------------------------------------------------------------------------------

setup_environment() {
  export LUACUDA_BUILD=$luacuda_build
  local lua_path=${LUA_PATH_5_4:-${LUA_PATH:-;;}}
  export LUA_PATH="$luacuda_root/lua/?.lua;$luacuda_root/lua/?/init.lua;$lua_path"
  export LUA_CPATH="$luacuda_build/?.so;${LUA_CPATH_5_4:-${LUA_CPATH:-;;}}"
  unset LUA_PATH_5_4 LUA_CPATH_5_4
}
