//! The part of JSON Schema (draft 2020-12) that `docs/json.md` is written in. A keyword that is not known here is refused,
//! so that no rule of the page is passed over in silence.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Keys of an object that a schema has spoken about.
type Known = BTreeSet<String>;

/// A schema whose references are to the `$defs` of its root.
pub struct Schema(pub Value);

impl Schema {
    /// Says where a value departs from the schema, if it does.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.known(&self.0, value, "").map(|_| ())
    }

    fn known(&self, schema: &Value, value: &Value, place: &str) -> Result<Known, String> {
        let rules = schema.as_object().unwrap_or_else(|| panic!("not a schema: {schema}"));
        let mut known = Known::new();
        for (rule, says) in rules {
            match rule.as_str() {
                "$ref" => known.extend(self.known(self.definition(says), value, place)?),
                "type" if !list(says).any(|name| is_of(value, name)) => {
                    return Err(format!("{place}: {value} is not of type {says}"));
                }
                "enum" if !list(says).any(|one| one == value) => {
                    return Err(format!("{place}: {value} is none of {says}"));
                }
                "type" | "enum" | "$defs" | "unevaluatedProperties" => {}
                "allOf" => {
                    for part in list(says) {
                        known.extend(self.known(part, value, place)?);
                    }
                }
                "anyOf" | "oneOf" => known.extend(self.one_of(rule == "oneOf", says, value, place)?),
                "items" => {
                    for (k, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.known(says, item, &format!("{place}[{k}]"))?;
                    }
                }
                "properties" => {
                    let described = says.as_object().unwrap();
                    for (key, inner) in value.as_object().into_iter().flatten() {
                        if let Some(schema) = described.get(key) {
                            self.known(schema, inner, &format!("{place}.{key}"))?;
                            known.insert(key.clone());
                        }
                    }
                }
                "required" => {
                    let missing = |object: &Map<String, Value>| {
                        list(says).find(|key| !object.contains_key(key.as_str().unwrap())).cloned()
                    };
                    if let Some(key) = value.as_object().and_then(missing) {
                        return Err(format!("{place}: {key} is missing"));
                    }
                }
                "additionalProperties" => {
                    let described = rules["properties"].as_object().unwrap().keys().cloned().collect();
                    nothing_but(&described, says, value, place)?;
                }
                other => panic!("the validator does not know the keyword {other}"),
            }
        }
        if let Some(says) = rules.get("unevaluatedProperties") {
            nothing_but(&known, says, value, place)?;
        }
        Ok(known)
    }

    /// What the schemas that fit have spoken about: at least one of them, or exactly one.
    fn one_of(&self, exactly: bool, schemas: &Value, value: &Value, place: &str) -> Result<Known, String> {
        let (mut fit, mut misfit) = (Vec::new(), Vec::new());
        for schema in list(schemas) {
            match self.known(schema, value, place) {
                Ok(known) => fit.push(known),
                Err(reason) => misfit.push(reason),
            }
        }
        match fit.len() {
            0 => Err(format!("{place}: fits none of {}: {}", misfit.len(), misfit.join("; "))),
            2.. if exactly => Err(format!("{place}: fits {} of the schemas, not one", fit.len())),
            _ => Ok(fit.into_iter().flatten().collect()),
        }
    }

    fn definition(&self, reference: &Value) -> &Value {
        let name = reference.as_str().and_then(|text| text.strip_prefix("#/$defs/")).unwrap();
        self.0["$defs"].get(name).unwrap_or_else(|| panic!("there is no definition of {name}"))
    }
}

fn nothing_but(described: &Known, says: &Value, value: &Value, place: &str) -> Result<(), String> {
    assert_eq!(says, false, "only false is understood");
    let stranger = |object: &Map<String, Value>| object.keys().find(|key| !described.contains(*key)).cloned();
    let found = value.as_object().and_then(stranger);
    found.map_or(Ok(()), |key| Err(format!("{place}: the key {key} is not described")))
}

fn is_of(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("the validator does not know the type {other}"),
    }
}

/// The members of a list, or the one value that stands for a list of one.
fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice).iter()
}
