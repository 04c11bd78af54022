//! JSON Schemas of records, from the same list of columns that readers and exports go by.

use std::borrow::Cow;

use corefed_core::Number;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use super::{AgentRecord, Column, Kind, Part, Rejection, RoundRecord, Row};

impl JsonSchema for RoundRecord {
    fn schema_name() -> Cow<'static, str> {
        "RoundRecord".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        of_row::<Self>(generator, |column, generator| match column.name {
            "rejections" => Some(generator.subschema_for::<Vec<Rejection>>()),
            "raised" => {
                let number = generator.subschema_for::<Number>();
                Some(json_schema!({ "type": "object", "additionalProperties": number }))
            }
            _ if column.kind == Kind::Json => Some(generator.subschema_for::<Vec<String>>()),
            _ => None,
        })
    }
}

impl JsonSchema for AgentRecord {
    fn schema_name() -> Cow<'static, str> {
        "AgentRecord".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        of_row::<Self>(generator, |column, generator| match column.name {
            "agent" => Some(generator.subschema_for::<String>()),
            "part" => Some(generator.subschema_for::<Part>()),
            _ => None,
        })
    }
}

/// Counts that every line has: the others may be null.
const ALWAYS: [&str; 6] = ["round", "cohort", "trained", "dropped", "stragglers", "rejected"];

fn of_row<R: Row>(
    generator: &mut SchemaGenerator,
    special: impl Fn(&Column, &mut SchemaGenerator) -> Option<Schema>,
) -> Schema {
    let mut properties = Map::new();
    for column in R::COLUMNS {
        let schema = special(column, generator).unwrap_or_else(|| match column.kind {
            Kind::Whole if ALWAYS.contains(&column.name) => generator.subschema_for::<usize>(),
            Kind::Whole => generator.subschema_for::<Option<usize>>(),
            Kind::Float => generator.subschema_for::<Option<Number>>(),
            Kind::Text => generator.subschema_for::<Option<String>>(),
            Kind::Truth => generator.subschema_for::<bool>(),
            Kind::Json => json_schema!({ "type": ["array", "object"] }),
        });
        properties.insert(column.name.to_owned(), schema.to_value());
    }
    let required: Vec<Value> = properties.keys().map(|name| name.as_str().into()).collect();
    json_schema!({ "type": "object", "properties": properties, "required": required })
}
