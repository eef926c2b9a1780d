//! The reader of JSON text, held against a naive one: what is JSON, where the first fault is, how long each message is in every
//! unit, where messages start and end.
//!
//! The reader looks at 64 bytes at a time and works in strides of 2048, so everything is laid across such edges, at
//! every offset. Run it with `--features portable` too: the same tests hold the other back end.

mod reading {
    mod agreement;
    mod bytes;
    mod naive;
    mod text;

    mod characters;
    mod escapes;
    mod grammar;
    mod scalars;
    mod short;
    mod soup;
    mod spans;
    mod strings;
    mod white_space;
}
