//! simdjson, in C++, where it is installed.

/// A text that is ready to be read, by parsers that are ready to read it.
pub struct Reader {
    #[cfg(simdjson)]
    made: *mut std::ffi::c_void,
}

#[cfg(simdjson)]
mod linked {
    use std::ffi::{CStr, CString, c_char, c_void};

    use super::Reader;

    unsafe extern "C" {
        static compare_simdjson_version: *const c_char;
        fn compare_simdjson_chosen() -> *const c_char;
        fn compare_simdjson_new(
            text: *const c_char,
            len: usize,
            name: *const c_char,
        ) -> *mut c_void;
        fn compare_simdjson_free(made: *mut c_void);
        fn compare_simdjson_on_demand(made: *mut c_void, bytes: *mut u64) -> i64;
        fn compare_simdjson_dom(made: *mut c_void) -> i64;
    }

    /// The back end that simdjson chooses on this machine.
    pub fn chosen() -> Option<String> {
        // SAFETY: a NUL-terminated text that lives as long as the process.
        let name = unsafe { CStr::from_ptr(compare_simdjson_chosen()) };
        Some(name.to_string_lossy().into_owned())
    }

    pub fn version() -> String {
        // SAFETY: a constant, NUL-terminated.
        let version = unsafe { CStr::from_ptr(compare_simdjson_version) };
        version.to_string_lossy().into_owned()
    }

    impl Reader {
        pub fn new(text: &str, back_end: &str) -> Option<Self> {
            let name = CString::new(back_end).ok()?;
            // SAFETY: both texts are read during the call.
            let made =
                unsafe { compare_simdjson_new(text.as_ptr().cast(), text.len(), name.as_ptr()) };
            (!made.is_null()).then_some(Self { made })
        }

        /// Iterates over the array and takes each element's raw JSON: the number of elements.
        pub fn on_demand(&mut self) -> u64 {
            let mut bytes = 0;
            // SAFETY: made by `new`, and used by one thread.
            let count = unsafe { compare_simdjson_on_demand(self.made, &mut bytes) };
            std::hint::black_box(bytes);
            count.cast_unsigned()
        }

        /// Builds the document tree: the number of elements.
        pub fn dom(&mut self) -> u64 {
            // SAFETY: made by `new`, and used by one thread.
            unsafe { compare_simdjson_dom(self.made) }.cast_unsigned()
        }
    }

    impl Drop for Reader {
        fn drop(&mut self) {
            // SAFETY: made by `new`, and freed once.
            unsafe { compare_simdjson_free(self.made) };
        }
    }
}

#[cfg(simdjson)]
pub use linked::{chosen, version};

#[cfg(not(simdjson))]
mod missing {
    use super::Reader;

    pub fn chosen() -> Option<String> {
        None
    }

    pub fn version() -> String {
        String::new()
    }

    impl Reader {
        pub fn new(_: &str, _: &str) -> Option<Self> {
            None
        }

        pub fn on_demand(&mut self) -> u64 {
            0
        }

        pub fn dom(&mut self) -> u64 {
            0
        }
    }
}

#[cfg(not(simdjson))]
pub use missing::{chosen, version};
