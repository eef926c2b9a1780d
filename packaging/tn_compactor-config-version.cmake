# Whether this installation will do for `find_package(tn_compactor VERSION)`: the same major and minor version, and no older patch. Of
# a range it has to be inside.

include("${CMAKE_CURRENT_LIST_DIR}/tn_compactor-location.cmake")
set(PACKAGE_VERSION "${_tn_compactor_version}")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
set(PACKAGE_VERSION_EXACT FALSE)

if(PACKAGE_FIND_VERSION_RANGE)
  if(PACKAGE_VERSION VERSION_GREATER_EQUAL PACKAGE_FIND_VERSION_MIN
      AND (PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION_MAX
        OR (PACKAGE_FIND_VERSION_RANGE_MAX STREQUAL "INCLUDE" AND PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION_MAX)))
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
else()
  if(PACKAGE_FIND_VERSION_COUNT GREATER 1)
    set(_tn_compactor_wanted "${PACKAGE_FIND_VERSION_MAJOR}.${PACKAGE_FIND_VERSION_MINOR}")
  else()
    set(_tn_compactor_wanted "${PACKAGE_FIND_VERSION_MAJOR}")
  endif()
  string(FIND "${PACKAGE_VERSION}." "${_tn_compactor_wanted}." _tn_compactor_at)
  if(PACKAGE_VERSION VERSION_GREATER_EQUAL PACKAGE_FIND_VERSION AND _tn_compactor_at EQUAL 0)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
  if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
