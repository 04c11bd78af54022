//! Panics of a reader that somebody else wrote, turned into refusals.
//!
//! The Parquet crate asserts in many places what only a sound file guarantees. Each place could be checked
//! before; fuzzing then finds the next one. So its calls are made here: what panics in them is a damaged file.

use std::cell::Cell;
use std::panic::{PanicHookInfo, set_hook, take_hook};

thread_local! {
    /// Whether this thread is in such a call.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Lets the program's panic hook pass over panics that are turned into refusals. For programs, once, after they
/// have set their own hook; without it such a panic is told twice, by the hook and as an error.
pub fn pass_over_contained_panics() {
    let told = take_hook();
    set_hook(Box::new(move |panic: &PanicHookInfo<'_>| {
        if !INSIDE.get() {
            told(panic);
        }
    }));
}

/// What a call of the Parquet crate gives; a panic of it is a refusal. Nothing of ours belongs into the call: its
/// mistakes would be called a damaged file.
#[cfg(feature = "parquet")]
pub(crate) fn contained<T>(
    call: impl FnOnce() -> parquet::errors::Result<T>,
) -> parquet::errors::Result<T> {
    INSIDE.set(true);
    // What the call leaves half done is dropped with the reader.
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
    INSIDE.set(false);
    done.unwrap_or_else(|_| Err(parquet::errors::ParquetError::General(BROKEN_RULE.to_owned())))
}

#[cfg(feature = "parquet")]
const BROKEN_RULE: &str = "it breaks a rule of the format that its reader takes for granted";

#[cfg(all(test, feature = "parquet"))]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_refusal_and_the_next_call_works() {
        let refused = contained(|| -> parquet::errors::Result<u8> { panic!("somebody else's") });
        assert!(refused.is_err_and(|error| error.to_string().contains(BROKEN_RULE)));
        assert!(!INSIDE.get());
        assert_eq!(contained(|| Ok(3)).ok(), Some(3));
        assert!(!INSIDE.get());
    }
}
