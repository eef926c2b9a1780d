//! `include/tn_compactor.h` is what cbindgen makes of the comments in `src/ffi`, and the declarations that the Python binding
//! reads are what it makes of the functions alone.
//!
//! `make header` runs this test with `TN_WRITE_HEADER=1`, which writes both in place of comparing them.

use std::path::Path;

/// Within `src/ffi`, in the order in which a reader meets things.
const SOURCES: [&str; 7] = [
    "status",
    "text",
    "sink",
    "compactor",
    "apply",
    "plan",
    "estimate",
];

/// What cbindgen cannot know: the version, the marker of exports, and the length that means "up to the NUL".
fn after_includes() -> String {
    format!(
        r#"
/**
 * @file
 * Where a long transcript of an LLM agent may be cut.
 *
 * Over a token budget, a compactor replaces the older part of a transcript by a summary that the host writes and keeps a
 * recent tail, and never parts a tool result from its call. The library decides where; it never calls a model.
 *
 * In one call: tn_compactor_apply, with the host's function as a callback. In two: tn_plan_new, then the host summarizes in
 * its own time and its own language, then tn_plan_finish, or the host slices its own list of messages by the indices.
 *
 * What holds for every function:
 *
 * - Text in is UTF-8 with a length in bytes beside it, or TN_NUL_TERMINATED. It is read during the call, never freed, and
 *   not referred to afterwards. NULL with length 0 is the empty text. Nobody may write to it during the call.
 * - Text out through a `char **` is NUL-terminated UTF-8, owned by the host, and freed with tn_string_free. Text out as a
 *   `const char *` is borrowed, and not to be freed.
 * - Outputs are written only on success, `*error` only on failure; pointers among them are set to NULL first. `error` may be NULL. A text
 *   in `*error` names the place, what was found and what is allowed. If there is no memory even for that text, it stays
 *   NULL.
 * - A `const` object is not changed, and may be used by several threads at once. Every `_free` takes NULL.
 * - No function panics, throws or exits. What a callback throws passes through. The library starts no thread, keeps no
 *   state between calls, reads no file or environment variable, and prints nothing. (Should it ever run into a bug of its
 *   own, TN_ERR_INTERNAL, the runtime it is built with says so on the standard error as well.)
 * - Time and memory grow linearly with the transcript. Nothing recurses on its depth, and nothing limits its size but
 *   memory.
 */

/** The version of this header, and of the library it belongs to: its first number. */
#define TN_VERSION_MAJOR {major}
/** The second number of the version. */
#define TN_VERSION_MINOR {minor}
/** The third number of the version. */
#define TN_VERSION_PATCH {patch}

/** The interface that this header describes: compare it with tn_abi_version() of the library that is loaded. */
#define TN_ABI_VERSION {abi}

/** For any length parameter: the text is NUL-terminated, and its length is up to the NUL. */
#define TN_NUL_TERMINATED ((size_t)-1)

/** Marks what the library exports. On Windows, define TN_STATIC when you link the static library. */
#ifndef TN_API
#if defined(_WIN32) && !defined(TN_STATIC)
#define TN_API __declspec(dllimport)
#elif defined(__GNUC__)
#define TN_API __attribute__((visibility("default")))
#else
#define TN_API
#endif
#endif"#,
        major = env!("CARGO_PKG_VERSION_MAJOR"),
        minor = env!("CARGO_PKG_VERSION_MINOR"),
        patch = env!("CARGO_PKG_VERSION_PATCH"),
        abi = tn_compactor::ffi::tn_abi_version(),
    )
}

/// The header as the sources say it should be.
fn header() -> String {
    without_safety_sections(&generated(|config| {
        config.after_includes = Some(after_includes());
    }))
}

/// The same types and functions for a reader that has no preprocessor and no casts, which is what Python's cffi is: neither
/// comments nor directives, and of the constants those that are plain numbers.
fn declarations() -> String {
    generated(|config| {
        config.include_guard = None;
        config.sys_includes.clear();
        config.cpp_compat = false;
        config.documentation = false;
        config.function.prefix = None;
        config.after_includes = Some(format!(
            "#define TN_ABI_VERSION {}",
            tn_compactor::ffi::tn_abi_version()
        ));
    })
}

/// What cbindgen writes with the settings of `cbindgen.toml`, changed so.
fn generated(change: impl FnOnce(&mut cbindgen::Config)) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    change(&mut config);
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in SOURCES {
        builder = builder.with_src(root.join(format!("src/ffi/{source}.rs")));
    }
    let mut text = Vec::new();
    builder.generate().unwrap().write(&mut text);
    String::from_utf8(text).unwrap()
}

/// Rust's convention asks for a `# Safety` section over every unsafe function. In C it would repeat what the parameters say.
fn without_safety_sections(header: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut skipping = false;
    for line in header.lines() {
        if line.trim() == "* # Safety" {
            skipping = true;
            while lines.last().is_some_and(|line| line.trim() == "*") {
                lines.pop();
            }
        }
        // Up to the end, or to the next section or command.
        let starts_another = line.trim().starts_with("* @")
            || (line.trim().starts_with("* #") && line.trim() != "* # Safety");
        if skipping && starts_another {
            lines.push(" *");
        }
        skipping &= line.trim() != "*/" && !starts_another;
        if !skipping {
            lines.push(line.trim_end());
        }
    }
    lines.join("\n") + "\n"
}

/// Compares a committed file with what the sources say it should be, or writes it.
fn is_what_the_sources_say(name: &str, generated: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var_os("TN_WRITE_HEADER").is_some() {
        std::fs::write(&path, generated).unwrap();
        return;
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let drift = committed
        .lines()
        .zip(generated.lines())
        .position(|(committed, generated)| committed != generated)
        .unwrap_or_else(|| committed.lines().count().min(generated.lines().count()));
    assert!(
        committed == generated,
        "{name}, line {}: `{}` in the file, `{}` by the sources; run `make header`",
        drift + 1,
        committed.lines().nth(drift).unwrap_or("the end"),
        generated.lines().nth(drift).unwrap_or("the end"),
    );
}

#[test]
fn the_committed_header_is_what_the_sources_say() {
    is_what_the_sources_say("include/tn_compactor.h", &header());
}

#[test]
fn the_committed_declarations_are_what_the_sources_say() {
    is_what_the_sources_say(
        "bindings/python/tn_compactor_declarations.h",
        &declarations(),
    );
}

#[test]
fn the_declarations_are_the_header_without_its_comments_and_directives() {
    let bare = |text: &str| {
        let mut bare = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("/*") {
            bare.push_str(&rest[..start]);
            rest = rest[start..]
                .find("*/")
                .map_or("", |end| &rest[start + end + 2..]);
        }
        bare.push_str(rest);
        let code = bare.lines().filter(|line| !line.starts_with('#'));
        let words = code.flat_map(|line| line.split("//").next().unwrap_or("").split_whitespace());
        words
            .filter(|&word| word != "TN_API")
            .collect::<Vec<_>>()
            .join(" ")
    };
    let header = bare(&header())
        .replace("extern \"C\" { ", "")
        .trim_end_matches(" }")
        .to_owned();
    let declarations = declarations();
    assert_eq!(bare(&declarations), header);
    let directives: Vec<&str> = declarations
        .lines()
        .filter(|line| line.starts_with('#'))
        .collect();
    assert!(
        directives.len() == 1 && directives[0].starts_with("#define TN_ABI_VERSION "),
        "{directives:?}"
    );
}

#[test]
fn a_safety_section_is_left_out_of_the_header_and_nothing_else_is() {
    let comment = "/**\n * What.\n *\n * # Safety\n *\n * Pointers.\n */\nvoid f(void);\n";
    assert_eq!(
        without_safety_sections(comment),
        "/**\n * What.\n */\nvoid f(void);\n"
    );
    let more_after = "/**\n * What.\n *\n * # Safety\n *\n * Pointers.\n *\n * @code\n * f();\n * @endcode\n */\n";
    assert_eq!(
        without_safety_sections(more_after),
        "/**\n * What.\n *\n * @code\n * f();\n * @endcode\n */\n"
    );
}
