//! Tells the crate which tenferro it is built against: cfgs for `compat.rs`, strings for `build_info`.

use std::{env, fs, path::Path, process::Command};

/// Releases from which on a name exists or changed; one cfg each, used in `compat.rs` only.
const CFGS: [(&str, (u64, u64)); 1] = [("tenferro_0_12", (0, 12))];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=Cargo.lock");
    let version = locked_version("tenferro-runtime");
    let (major, minor) = major_minor(&version);
    for (name, since) in CFGS {
        println!("cargo:rustc-check-cfg=cfg({name})");
        if (major, minor) >= since {
            println!("cargo:rustc-cfg={name}");
        }
    }
    println!("cargo:rustc-env=HARNESS_TENFERRO_VERSION={version}");
    println!("cargo:rustc-env=HARNESS_RUSTC={}", compiler());
    for (name, variable) in [("HARNESS_PROFILE", "PROFILE"), ("HARNESS_TARGET", "TARGET")] {
        println!("cargo:rustc-env={name}={}", env::var(variable).unwrap_or_default());
    }
}

/// The version of `package` that the lock file beside this script settles on.
fn locked_version(package: &str) -> String {
    let folder = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let lock = Path::new(&folder).join("Cargo.lock");
    let text = fs::read_to_string(&lock).unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
    let header = format!("name = \"{package}\"\nversion = \"");
    let start = text.find(&header).unwrap_or_else(|| panic!("{package} is not in Cargo.lock")) + header.len();
    text[start..].chars().take_while(|c| *c != '"').collect()
}

fn major_minor(version: &str) -> (u64, u64) {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

fn compiler() -> String {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().expect("rustc answers --version");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
