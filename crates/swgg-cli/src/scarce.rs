//! Memory that runs out: a sentence and exit 2, not an abort.
//!
//! Sizes are estimated before the work, but estimates are rough and others take memory too. Rust aborts when an allocation fails;
//! a command line has something better to do: say so, remove its temporary files, and leave.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{self, Cursor, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit;

/// The allocator of the system for a program that leaves where it has no more memory to give: the global allocator of the command
/// `swgg`, not of a library in somebody else's process.
pub struct Scarce;

// SAFETY: every call is handed on to the allocator of the system as it came; nothing else happens unless that returns null, and
// then the process ends.
unsafe impl GlobalAlloc for Scarce {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: what the caller promises is what the system asks for.
        had(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        had(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        had(unsafe { System.realloc(place, layout, size) }, size)
    }
}

#[inline]
fn had(place: *mut u8, bytes: usize) -> *mut u8 {
    if place.is_null() {
        leave(bytes);
    }
    place
}

/// Memory that is given back when there is no more, for the few steps on the way out.
static RESERVE: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// Bytes of it: enough to list a directory.
const RESERVE_BYTES: usize = 1 << 20;

/// Puts memory aside for the way out. Without it nothing is worse than a temporary file that the next run removes.
pub fn reserve() {
    if let Ok(mut reserve) = RESERVE.lock() {
        *reserve = vec![0; RESERVE_BYTES];
    }
}

thread_local! {
    /// Whether this thread is on its way out.
    static IS_LEAVING: Cell<bool> = const { Cell::new(false) };
}

#[cold]
fn leave(bytes: usize) {
    static IS_TOLD: AtomicBool = AtomicBool::new(false);
    if IS_LEAVING.replace(true) {
        // Not even that can be had; it is told already.
        leave_at_once();
    }
    if IS_TOLD.swap(true, Ordering::SeqCst) {
        // Another thread was first, and ends the process.
        loop {
            std::thread::park();
        }
    }
    if let Ok(mut reserve) = RESERVE.try_lock() {
        drop(std::mem::take(&mut *reserve));
    }
    let mut text = [0_u8; 256];
    let mut cursor = Cursor::new(&mut text[..]);
    let _ = match bytes {
        0..1_000_000 => write!(cursor, "error: out of memory: another {bytes} bytes could not be had"),
        _ => write!(cursor, "error: out of memory: another {:.1} MB could not be had", bytes as f64 / 1e6),
    };
    let _ = writeln!(
        cursor,
        "; give fewer points or coordinates (--columns), or more memory (ulimit -v shows the limit)"
    );
    let end = cursor.position() as usize;
    let _ = io::stderr().write_all(&text[..end]);
    swgg_io::scratch::abandon();
    std::process::exit(i32::from(exit::FAILED));
}

#[cfg(unix)]
fn leave_at_once() -> ! {
    // SAFETY: it ends the process, whatever state it is in.
    unsafe { libc::_exit(libc::c_int::from(exit::FAILED)) }
}

#[cfg(not(unix))]
fn leave_at_once() -> ! {
    std::process::abort()
}
