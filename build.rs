//! Gives the shared library its SONAME, which rustc does not set.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let soname = match os.as_str() {
        "linux" | "android" | "freebsd" | "netbsd" | "openbsd" | "dragonfly" => {
            "-Wl,-soname,libtn_compactor.so.0"
        }
        "macos" => "-Wl,-install_name,@rpath/libtn_compactor.0.dylib",
        _ => return,
    };
    println!("cargo::rustc-cdylib-link-arg={soname}");
}
