//go:build cgo

package tncompactor

// How the header and the library are found; no other file knows.
//
// By default they are those of the checkout that this folder stands in, built with make, and the program remembers the folder
// of the shared library. CGO_CFLAGS and CGO_LDFLAGS come first, so they can name another folder:
//
//	CGO_CFLAGS=-I/opt/tn/include CGO_LDFLAGS='-L/opt/tn/lib -Wl,-rpath,/opt/tn/lib' go build
//
// The tag tn_pkgconfig asks pkg-config instead, the tag tn_static puts the static library of the checkout into the program.

// #cgo !tn_pkgconfig CFLAGS: -I${SRCDIR}/../../include
// #cgo !tn_pkgconfig,!tn_static LDFLAGS: -L${SRCDIR}/../../target/release -ltn_compactor
// #cgo !tn_pkgconfig,!tn_static,!windows LDFLAGS: -Wl,-rpath,${SRCDIR}/../../target/release
// #cgo tn_static,!tn_pkgconfig LDFLAGS: ${SRCDIR}/../../target/release/libtn_compactor.a
// #cgo tn_static,!tn_pkgconfig,linux LDFLAGS: -lpthread -ldl -lm
// #cgo tn_pkgconfig pkg-config: tn_compactor
import "C"
