//! What commands about the program itself accept: help by topic, completions, manual pages.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Print help on a command or a topic
///
/// Topics: formats, columns, methods, searches, costs, exit-codes. Anything else is the name of a command.
#[derive(Debug, Args)]
pub struct Help {
    /// A command, or formats, columns, methods, searches, costs, exit-codes
    #[arg(value_name = "TOPIC")]
    pub topic: Option<String>,
}

/// Print a script of completions for a shell
///
/// bash: swgg completions bash > ~/.local/share/bash-completion/completions/swgg
///
/// zsh: swgg completions zsh > "${fpath[1]}/_swgg"
///
/// fish: swgg completions fish > ~/.config/fish/completions/swgg.fish
///
/// powershell: swgg completions powershell | Out-String | Invoke-Expression
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: Shell,
}

/// Write manual pages, one per command
///
/// swgg man DIR; man DIR/swgg-solve.1
#[derive(Debug, Args)]
pub struct Man {
    /// Directory to write to; made if it is not there
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}
