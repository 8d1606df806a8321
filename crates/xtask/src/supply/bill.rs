//! The bill of materials, as CycloneDX 1.5 has it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// What checksums belong to, name and version.
pub type Checksums = BTreeMap<(String, String), String>;

/// The checksums of a Cargo.lock.
pub fn checksums(lock: &str) -> Checksums {
    let mut found = BTreeMap::new();
    let (mut name, mut version) = (String::new(), String::new());
    for line in lock.lines() {
        let Some((key, value)) = line.split_once(" = ") else { continue };
        let value = value.trim_matches('"').to_string();
        match key {
            "name" => name = value,
            "version" => version = value,
            "checksum" => {
                found.insert((name.clone(), version.clone()), value);
            }
            _ => {}
        }
    }
    found
}

/// The bill of what `cargo metadata` says: every package once, in order, without a date or a number of its own, so that the same
/// lock file gives the same bytes.
pub fn of(metadata: &Value, checksums: &Checksums) -> Value {
    let members: BTreeSet<&str> = strings(&metadata["workspace_members"]).collect();
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let purls: BTreeMap<&str, String> = packages
        .iter()
        .map(|package| {
            let purl = format!("pkg:cargo/{}@{}", text(&package["name"]), text(&package["version"]));
            (package["id"].as_str().unwrap_or_default(), purl)
        })
        .collect();
    let component = |package: &Value| {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        let id = package["id"].as_str().unwrap_or_default();
        let kind = if members.contains(id) { "application" } else { "library" };
        let mut component = json!({
            "type": kind, "name": name, "version": version,
            "bom-ref": purls.get(id), "purl": purls.get(id),
        });
        if let Some(license) = package["license"].as_str() {
            // Old manifests have a slash for "or".
            component["licenses"] = json!([{ "expression": license.replace('/', " OR ") }]);
        }
        if let Some(sum) = checksums.get(&(name, version)) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        component
    };
    let mut components: Vec<Value> = packages.iter().map(component).collect();
    components.sort_by_key(|component| text(&component["purl"]));
    let nodes = metadata["resolve"]["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut dependencies: Vec<Value> = nodes
        .iter()
        .map(|node| {
            let mut on: Vec<&String> =
                strings(&node["dependencies"]).filter_map(|id| purls.get(id)).collect();
            on.sort();
            json!({ "ref": node["id"].as_str().and_then(|id| purls.get(id)), "dependsOn": on })
        })
        .collect();
    dependencies.sort_by_key(|dependency| text(&dependency["ref"]));
    json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "components": components, "dependencies": dependencies,
    })
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_their_licence_their_sum_and_what_they_need() {
        let metadata = json!({
            "workspace_members": ["ours"],
            "packages": [
                { "id": "ours", "name": "ours", "version": "0.1.0", "license": "MIT" },
                { "id": "theirs", "name": "theirs", "version": "2.0.0", "license": "MIT/Apache-2.0" },
            ],
            "resolve": { "nodes": [{ "id": "ours", "dependencies": ["theirs"] }, { "id": "theirs", "dependencies": [] }] },
        });
        let lock = "[[package]]\nname = \"theirs\"\nversion = \"2.0.0\"\nchecksum = \"abc\"\n";
        let bill = of(&metadata, &checksums(lock));
        assert_eq!(bill["components"][0]["type"], "application");
        assert_eq!(bill["components"][1]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(bill["components"][1]["hashes"][0]["content"], "abc");
        assert_eq!(bill["dependencies"][0]["dependsOn"][0], "pkg:cargo/theirs@2.0.0");
    }
}
