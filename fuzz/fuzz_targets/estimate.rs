//! Any bytes: every back end and `serde_json` agree on what is a transcript, where a fault is, and what each message counts.
//! What value trees refuse (depth, the size of a number, a lone surrogate) is accepted.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/reading/agreement.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod agreement;
#[path = "../../tests/reading/bytes.rs"]
mod bytes;
#[path = "../../tests/reading/naive.rs"]
mod naive;

fuzz_target!(|input: &[u8]| {
    agreement::agree_on_bytes(input);
    for unit in 0..3 {
        let best = bytes::estimate(input, unit).map_err(|(_status, error)| error);
        let unit = unit as usize;
        assert_eq!(best, tn_compactor_avx2::estimate(input, unit), "AVX2");
        assert_eq!(
            best,
            tn_compactor_portable::estimate(input, unit),
            "portable"
        );
    }
});
