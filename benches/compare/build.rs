//! Compiles the C++ part where simdjson is installed, and leaves it out where it is not.

use std::path::PathBuf;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(simdjson)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/simdjson.cpp");
    // A file that is not there counts as changed, so that an installation is noticed.
    println!("cargo::rerun-if-changed=/usr/include/simdjson.h");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let probe = out.join("probe.cpp");
    std::fs::write(&probe, "#include <simdjson.h>\n").expect("OUT_DIR can be written to");
    let mut compiler = cc::Build::new();
    compiler.cpp(true).std("c++17").opt_level(3).warnings(false);
    if compiler.clone().file(&probe).try_expand().is_err() {
        println!("cargo::warning=simdjson is not installed: its rows will be missing");
        return;
    }
    compiler
        .file("src/simdjson.cpp")
        .flag("-march=native")
        .define("NDEBUG", None)
        .compile("compare_simdjson");
    println!("cargo::rustc-link-lib=simdjson");
    println!("cargo::rustc-cfg=simdjson");
}
