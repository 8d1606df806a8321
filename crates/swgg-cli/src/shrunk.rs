//! Files that are cut short while they are read: a sentence and exit 2, not a signal.
//!
//! Large arrays are mapped into memory, and the system ends a process that looks beyond the end of a file that another one has
//! cut. Nothing can be saved then, but it can be said.
#![allow(unsafe_code)]

/// From now on a file that shrinks ends the process with a sentence.
#[cfg(unix)]
pub fn tell() {
    const TEXT: &[u8] = b"error: a file was cut short while it was read; run again when it is whole\n";

    extern "C" fn left(_: libc::c_int) {
        // SAFETY: both calls may be made in a signal handler; the bytes are static.
        unsafe {
            libc::write(libc::STDERR_FILENO, TEXT.as_ptr().cast(), TEXT.len());
            libc::_exit(libc::c_int::from(crate::exit::FAILED));
        }
    }
    let handler: extern "C" fn(libc::c_int) = left;
    // SAFETY: the handler calls nothing but functions that are safe in one, and never returns.
    unsafe {
        libc::signal(libc::SIGBUS, handler as libc::sighandler_t);
    }
}

/// Other systems do not let files shrink that are mapped.
#[cfg(not(unix))]
pub fn tell() {}
