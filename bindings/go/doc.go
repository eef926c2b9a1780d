// Package tncompactor decides where a long transcript of an LLM agent may be cut, and replaces its older part by a summary
// that the host writes.
//
// It is a thin face over the native library tn_compactor. A transcript is encoded to JSON once, the library plans where to cut,
// and the host's own list is sliced by the indices of the plan. Nothing is decoded back: every message that is kept is the very
// value that was handed in.
//
// [Compactor] gives a hook that runs before each call of a model. [New] gives a [Planner], which can be closed, says what it
// would do and why, and compacts JSON text. [Hook] turns either one into the hook of a client with types of its own, such as
// toolnexus.
//
// The package needs cgo and the native library. See README.md for how the two are found.
package tncompactor
