# Finds the installation that this file belongs to, and reads its pkg-config file, so that the version and the private libraries are
# told once. `make install` puts it into LIBDIR/cmake/tn_compactor, `cargo cinstall` into PREFIX/share/cmake/tn_compactor; either tree
# may have been moved since.

set(_tn_compactor_libdir "")
foreach(_tn_compactor_dir IN ITEMS
    "${CMAKE_CURRENT_LIST_DIR}/../.."
    "${CMAKE_CURRENT_LIST_DIR}/../../../lib/${CMAKE_LIBRARY_ARCHITECTURE}"
    "${CMAKE_CURRENT_LIST_DIR}/../../../lib64"
    "${CMAKE_CURRENT_LIST_DIR}/../../../lib")
  if(NOT _tn_compactor_libdir AND EXISTS "${_tn_compactor_dir}/pkgconfig/tn_compactor.pc")
    get_filename_component(_tn_compactor_libdir "${_tn_compactor_dir}" ABSOLUTE)
  endif()
endforeach()

set(_tn_compactor_pc "")
if(_tn_compactor_libdir)
  file(READ "${_tn_compactor_libdir}/pkgconfig/tn_compactor.pc" _tn_compactor_pc)
endif()
# What follows `start` on its line, as _tn_compactor_<name>.
macro(_tn_compactor_read name start)
  set(_tn_compactor_${name} "")
  if("\n${_tn_compactor_pc}" MATCHES "\n${start}([^\n]*)")
    string(STRIP "${CMAKE_MATCH_1}" _tn_compactor_${name})
  endif()
endmacro()
_tn_compactor_read(version "Version:")
_tn_compactor_read(libs_private "Libs\\.private:")
_tn_compactor_read(prefix "prefix=")
_tn_compactor_read(includedir "includedir=")

# The headers stand beside the library, unless they were installed elsewhere on purpose.
string(REPLACE "\${prefix}" "${_tn_compactor_prefix}" _tn_compactor_includedir "${_tn_compactor_includedir}")
foreach(_tn_compactor_dir IN ITEMS "${_tn_compactor_libdir}/../../include" "${_tn_compactor_libdir}/../include")
  if(_tn_compactor_libdir AND EXISTS "${_tn_compactor_dir}/tn_compactor.h")
    get_filename_component(_tn_compactor_includedir "${_tn_compactor_dir}" ABSOLUTE)
  endif()
endforeach()
