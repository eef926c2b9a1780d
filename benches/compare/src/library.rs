//! tn_compactor through its C interface, as a host loads it: from the shared library, which no flag of this program's build
//! reaches.

use std::ffi::{c_char, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

type Text = *const c_char;
type Error = *mut *mut c_char;
type Summarize = extern "C" fn(*mut c_void, Text, usize, usize, usize, *mut c_void);

const CODE_POINT: i32 = 0;
const COMPACT: i32 = 0;
const UNDER_BUDGET: i32 = 1;

/// The functions of one loaded library.
#[derive(Clone, Copy)]
pub struct Library {
    estimate_tokens: unsafe extern "C" fn(Text, usize, i32, *mut u64, Error) -> i32,
    compactor_new: unsafe extern "C" fn(Text, usize, *mut *mut c_void, Error) -> i32,
    compactor_free: unsafe extern "C" fn(*mut c_void),
    compactor_apply: unsafe extern "C" fn(
        *const c_void,
        Text,
        usize,
        Summarize,
        *const c_void,
        *mut c_void,
        *mut *mut c_char,
        Error,
    ) -> i32,
    plan_new: unsafe extern "C" fn(
        *const c_void,
        Text,
        usize,
        *const c_void,
        *mut c_void,
        *mut *mut c_void,
        Error,
    ) -> i32,
    plan_outcome: unsafe extern "C" fn(*const c_void) -> i32,
    plan_tokens: unsafe extern "C" fn(*const c_void) -> u64,
    plan_free: unsafe extern "C" fn(*mut c_void),
}

impl Library {
    pub fn load(path: &Path) -> Result<Self, libloading::Error> {
        // SAFETY: loading tn_compactor runs no code of its own.
        let library = unsafe { libloading::Library::new(path) }?;
        // Kept to the end of the process, so that the functions may be copied out.
        let library: &'static libloading::Library = Box::leak(Box::new(library));
        // SAFETY: the types are those of include/tn_compactor.h.
        unsafe {
            Ok(Self {
                estimate_tokens: *library.get("tn_estimate_tokens")?,
                compactor_new: *library.get("tn_compactor_new")?,
                compactor_free: *library.get("tn_compactor_free")?,
                compactor_apply: *library.get("tn_compactor_apply")?,
                plan_new: *library.get("tn_plan_new")?,
                plan_outcome: *library.get("tn_plan_outcome")?,
                plan_tokens: *library.get("tn_plan_tokens")?,
                plan_free: *library.get("tn_plan_free")?,
            })
        }
    }

    /// Whether the two are one and the same.
    pub fn is(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.estimate_tokens, other.estimate_tokens)
    }

    /// `tn_estimate_tokens`: the estimate.
    pub fn estimate(&self, text: &str) -> u64 {
        let mut tokens = 0;
        // SAFETY: as the header asks.
        let status = unsafe {
            (self.estimate_tokens)(
                text.as_ptr().cast(),
                text.len(),
                CODE_POINT,
                &mut tokens,
                null_mut(),
            )
        };
        assert_eq!(status, 0, "tn_estimate_tokens failed");
        tokens
    }

    pub fn compactor(self, max_tokens: u64, keep_tail: u64) -> Compactor {
        let options = format!(r#"{{"max_tokens":{max_tokens},"keep_tail":{keep_tail}}}"#);
        let mut made = null_mut();
        // SAFETY: as the header asks.
        let status = unsafe {
            (self.compactor_new)(
                options.as_ptr().cast(),
                options.len(),
                &mut made,
                null_mut(),
            )
        };
        assert_eq!(status, 0, "tn_compactor_new failed");
        Compactor {
            library: self,
            made,
        }
    }
}

pub struct Compactor {
    library: Library,
    made: *mut c_void,
}

impl Compactor {
    /// `tn_plan_new` and `tn_plan_free` of a transcript that is over budget, or under: the tokens of the whole.
    pub fn plan(&self, text: &str, over_budget: bool) -> u64 {
        let mut plan = null_mut();
        // SAFETY: as the header asks; the plan is freed once.
        unsafe {
            let status = (self.library.plan_new)(
                self.made,
                text.as_ptr().cast(),
                text.len(),
                null(),
                null_mut(),
                &mut plan,
                null_mut(),
            );
            assert_eq!(status, 0, "tn_plan_new failed");
            let wanted = if over_budget { COMPACT } else { UNDER_BUDGET };
            assert_eq!(
                (self.library.plan_outcome)(plan),
                wanted,
                "the outcome of the plan"
            );
            let tokens = (self.library.plan_tokens)(plan);
            (self.library.plan_free)(plan);
            tokens
        }
    }

    /// `tn_compactor_apply` of a transcript that is under budget: 0 for "unchanged".
    pub fn apply_nothing(&self, text: &str) -> u64 {
        extern "C" fn never(_: *mut c_void, _: Text, _: usize, _: usize, _: usize, _: *mut c_void) {
        }
        let mut result = null_mut();
        // SAFETY: as the header asks. The sink is never used, since under budget nothing is summarized.
        let status = unsafe {
            (self.library.compactor_apply)(
                self.made,
                text.as_ptr().cast(),
                text.len(),
                never,
                null(),
                null_mut(),
                &mut result,
                null_mut(),
            )
        };
        assert!(
            status == 0 && result.is_null(),
            "tn_compactor_apply changed something"
        );
        0
    }
}

impl Drop for Compactor {
    fn drop(&mut self) {
        // SAFETY: made by the same library, and freed once.
        unsafe { (self.library.compactor_free)(self.made) };
    }
}
