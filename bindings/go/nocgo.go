//go:build !cgo

package tncompactor

// Nothing else of this package is compiled without cgo, so this name is the whole complaint of the compiler.
var _ = tn_compactor_needs_cgo_set_CGO_ENABLED_to_1_and_install_a_C_compiler
