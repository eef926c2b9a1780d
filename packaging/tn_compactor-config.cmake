# The installed library as imported targets:
#
#   tn_compactor::shared         the shared library
#   tn_compactor::static         the static library, with what it needs from the system
#   tn_compactor::tn_compactor   the shared one where it is installed, else the static one
#
#   find_package(tn_compactor 0.1 REQUIRED)
#   target_link_libraries(program PRIVATE tn_compactor::tn_compactor)

include("${CMAKE_CURRENT_LIST_DIR}/tn_compactor-location.cmake")

# The first of these files that is there.
macro(_tn_compactor_first name)
  set(_tn_compactor_${name} "")
  foreach(_tn_compactor_dir IN ITEMS ${ARGN})
    if(NOT _tn_compactor_${name} AND EXISTS "${_tn_compactor_libdir}/${_tn_compactor_dir}")
      set(_tn_compactor_${name} "${_tn_compactor_libdir}/${_tn_compactor_dir}")
    endif()
  endforeach()
endmacro()
if(WIN32)
  _tn_compactor_first(shared ../bin/tn_compactor.dll tn_compactor.dll)
  _tn_compactor_first(import tn_compactor.dll.lib libtn_compactor.dll.a)
  _tn_compactor_first(static tn_compactor.lib libtn_compactor.a)
else()
  _tn_compactor_first(shared libtn_compactor.so libtn_compactor.dylib)
  _tn_compactor_first(static libtn_compactor.a)
endif()

if(_tn_compactor_shared AND NOT TARGET tn_compactor::shared)
  add_library(tn_compactor::shared SHARED IMPORTED)
  set_target_properties(tn_compactor::shared PROPERTIES
    IMPORTED_LOCATION "${_tn_compactor_shared}"
    INTERFACE_INCLUDE_DIRECTORIES "${_tn_compactor_includedir}")
  if(WIN32)
    set_target_properties(tn_compactor::shared PROPERTIES IMPORTED_IMPLIB "${_tn_compactor_import}")
  endif()
endif()

if(_tn_compactor_static AND NOT TARGET tn_compactor::static)
  add_library(tn_compactor::static STATIC IMPORTED)
  # The compiler adds libgcc_s and libc by itself, and in a program that is static as a whole another than libgcc_s.
  separate_arguments(_tn_compactor_libs_private UNIX_COMMAND "${_tn_compactor_libs_private}")
  list(REMOVE_ITEM _tn_compactor_libs_private -lgcc_s -lc)
  set_target_properties(tn_compactor::static PROPERTIES
    IMPORTED_LOCATION "${_tn_compactor_static}"
    IMPORTED_LINK_INTERFACE_LANGUAGES C
    INTERFACE_COMPILE_DEFINITIONS TN_STATIC
    INTERFACE_INCLUDE_DIRECTORIES "${_tn_compactor_includedir}"
    INTERFACE_LINK_LIBRARIES "${_tn_compactor_libs_private}")
endif()

if(NOT TARGET tn_compactor::tn_compactor)
  foreach(_tn_compactor_kind IN ITEMS shared static)
    if(TARGET tn_compactor::${_tn_compactor_kind} AND NOT TARGET tn_compactor::tn_compactor)
      add_library(tn_compactor::tn_compactor INTERFACE IMPORTED)
      set_target_properties(tn_compactor::tn_compactor PROPERTIES INTERFACE_LINK_LIBRARIES tn_compactor::${_tn_compactor_kind})
    endif()
  endforeach()
endif()

if(NOT TARGET tn_compactor::tn_compactor OR NOT EXISTS "${_tn_compactor_includedir}/tn_compactor.h")
  set(tn_compactor_FOUND FALSE)
  set(tn_compactor_NOT_FOUND_MESSAGE "no library and headers of tn_compactor are beside ${CMAKE_CURRENT_LIST_DIR}")
endif()

foreach(_tn_compactor_kind IN ITEMS libdir dir pc version libs_private prefix includedir shared static import)
  unset(_tn_compactor_${_tn_compactor_kind})
endforeach()
unset(_tn_compactor_kind)
