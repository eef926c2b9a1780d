//! Gives the shared library its SONAME, which rustc does not set: the major version, as the Makefile and cargo-c name the files.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let major = env::var("CARGO_PKG_VERSION_MAJOR").unwrap_or_default();
    let soname = match os.as_str() {
        "linux" | "android" | "freebsd" | "netbsd" | "openbsd" | "dragonfly" => {
            format!("-Wl,-soname,libtn_compactor.so.{major}")
        }
        "macos" => format!("-Wl,-install_name,@rpath/libtn_compactor.{major}.dylib"),
        _ => return,
    };
    println!("cargo::rustc-cdylib-link-arg={soname}");
}
