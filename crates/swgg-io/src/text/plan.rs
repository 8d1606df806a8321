//! Plans out, a line per entry.

use std::io::{self, Write};

use crate::output::Output;
use crate::plan::Plan;

pub(super) fn write(output: &mut Output, plan: &Plan<'_>) -> io::Result<()> {
    writeln!(output, "source,target,mass")?;
    plan.each(|(source, target, mass)| writeln!(output, "{source},{target},{mass:?}"))
}
