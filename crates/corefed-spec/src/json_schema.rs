//! The JSON Schema of a spec, from the same descriptions that the reader checks by.
//!
//! Editors complete keys and show meanings with it. It knows names, types, ranges and choices; what
//! depends on other keys is left to the reader, which refuses more than the schema does.

use serde_json::{Map, Value, json};

use crate::Spec;
use crate::key::{Describe, Fallback, Section, Shape};
use crate::keys::SECTIONS;

impl Spec {
    /// The JSON Schema of a spec file.
    #[must_use]
    pub fn json_schema() -> Value {
        let mut root = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Spec",
        });
        for section in SECTIONS {
            let mut place = &mut root;
            for name in section.path.split('.').filter(|name| !name.is_empty()) {
                place = inner(place, name);
            }
            merge(place, table(section));
        }
        root
    }
}

/// The schema of a table inside another; `rules[]` is a table in the list `rules`.
fn inner<'a>(place: &'a mut Value, name: &str) -> &'a mut Value {
    let plain = name.trim_end_matches("[]");
    let property = &mut place["properties"][plain];
    // A key that is a list of names or of tables: both are described.
    let own = property.take();
    if name.ends_with("[]") {
        *property = json!({ "anyOf": [own, { "type": "array", "items": {} }] });
        &mut property["anyOf"][1]["items"]
    } else if own["type"] == "object" || own.is_null() {
        *property = if own.is_null() { json!({}) } else { own };
        property
    } else {
        *property = json!({ "anyOf": [own, {}] });
        &mut property["anyOf"][1]
    }
}

fn merge(place: &mut Value, table: Map<String, Value>) {
    for (name, value) in table {
        place[name] = value;
    }
}

fn table(section: &Section) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut others = json!(false);
    for key in section.keys {
        let schema = value(section, *key);
        if key.name().starts_with(char::is_uppercase) {
            // The user's own names: one entry stands for all of them.
            others = schema;
            continue;
        }
        let alternatives = section.rivals_of(key.name()).next().is_some();
        if key.fallback() == Fallback::Required && key.only().is_empty() && !alternatives {
            required.push(json!(key.name()));
        }
        properties.insert(key.name().to_owned(), schema);
    }
    let mut table = Map::new();
    table.insert("description".to_owned(), json!(section.meaning));
    table.insert("type".to_owned(), json!("object"));
    table.insert("properties".to_owned(), Value::Object(properties));
    table.insert("required".to_owned(), Value::Array(required));
    table.insert("additionalProperties".to_owned(), others);
    table
}

fn value(section: &Section, key: &dyn Describe) -> Value {
    let mut schema = match key.shape() {
        Shape::Number(range) => {
            let (low, high, closed) = range.bounds();
            let mut number = json!({ "type": "number" });
            let names = [["exclusiveMinimum", "minimum"], ["exclusiveMaximum", "maximum"]];
            for (bound, inside, [open, shut]) in
                [(low, closed.0, names[0]), (high, closed.1, names[1])]
            {
                if bound.is_finite() {
                    number[if inside { shut } else { open }] = json!(bound);
                }
            }
            number
        }
        Shape::Whole(least, most) => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Choice(names) => json!({ "enum": names }),
        Shape::Free => json!({}),
    };
    let only = match (section.selector, key.only()) {
        (Some(selector), only @ [_, ..]) => format!(" With `{selector}` {}.", only.join(", ")),
        _ => String::new(),
    };
    let default = match key.fallback() {
        Fallback::Is(text) => format!(" Default: {text}."),
        Fallback::Told(words) => format!(" Default: {words}."),
        Fallback::Required => String::new(),
    };
    let meaning = format!("{}{only} Takes {}.{default}", key.meaning(), key.wanted());
    schema["description"] = json!(meaning);
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_every_table_is_in_the_schema() {
        let schema = Spec::json_schema();
        let text = schema.to_string();
        for section in SECTIONS {
            for key in section.keys {
                assert!(text.contains(key.meaning().split('"').next().unwrap()), "{}", key.name());
            }
        }
        let top = &schema["properties"];
        assert_eq!(schema["required"], json!(["data", "model"]));
        assert_eq!(top["train"]["properties"]["local"]["additionalProperties"], false);
        assert_eq!(top["held_out"]["exclusiveMaximum"], 1.0);
        assert_eq!(top["columns"]["additionalProperties"]["enum"][0], "number");
    }
}
