//! `model` and `[network]`.

use crate::fields::{Fields, unfit};
use crate::keys::root::{self, Fitted};
use crate::keys::{audit, network as keys};
use crate::value::Value;
use crate::{Device, Layers, Model, NetworkAuditSpec, NetworkSpec, Precision, Problem};

/// What is fitted.
pub(super) fn read(top: &Fields) -> Model {
    let fitted = top.choice(&root::MODEL);
    let fields = top.table("network", &keys::SECTION);
    let audited = top.table("audit", &audit::SECTION);
    if let Fitted::Family(family) = fitted {
        for table in ["network", "audit"] {
            if let Some((at, _)) = top.get(table) {
                let reason = format!("is for networks, and `model` is `{family}`");
                top.refuse(at, table, Problem::Refused { reason });
            }
        }
        return Model::Linear(family);
    }
    let own = fields.list(&keys::LAYERS, |_, _, value| match value {
        Value::Text(text) => text.parse().map_err(|error: corefed_nn::LayerError| {
            Problem::Refused { reason: format!("{error}; {}", error.hint()) }
        }),
        _ => Err(unfit("text", value)),
    });
    let told = fields.get(keys::LAYERS.name);
    let layers = if let Fitted::Preset(name) = fitted {
        if let Some((at, _)) = told {
            let reason = format!("are those of `{name}`; use `model = \"network\"` for others");
            fields.refuse(at, keys::LAYERS.name, Problem::Refused { reason });
        }
        Layers::Preset(name)
    } else {
        if told.is_none() {
            fields.miss(keys::LAYERS.name, keys::LAYERS.takes.wanted.to_owned());
        }
        Layers::Own(own.unwrap_or_default())
    };
    let device = fields.choice(&keys::DEVICE);
    Model::Network(NetworkSpec {
        layers,
        smoothing: fields.number(&keys::SMOOTHING),
        init: fields.choice(&keys::INIT),
        standardise: fields.flag(&keys::STANDARDISE),
        device,
        precision: precision(&fields, device),
        together: count(fields.whole(&keys::TOGETHER)),
        audit: NetworkAuditSpec {
            level: audited.number(&audit::LEVEL),
            bursts: count(audited.whole(&audit::BURSTS)),
            climbs: count(audited.whole(&audit::CLIMBS)),
            factor: audited.number(&audit::FACTOR),
            lanczos: count(audited.whole(&audit::LANCZOS)),
            radius: audited.number(&audit::RADIUS),
        },
    })
}

/// A processor has one precision. Ignoring another would record what was not computed.
fn precision(fields: &Fields, device: Device) -> Precision {
    let precision = fields.choice(&keys::PRECISION);
    if device == Device::Cpu
        && precision != Precision::Fp32
        && let Some((at, Value::Text(name))) = fields.get(keys::PRECISION.name)
    {
        let reason = format!(
            "`{name}` is for GPUs, and `network.device` is `cpu`; set `network.device = \"cuda\"`, or \
             leave the precision at `fp32`"
        );
        fields.refuse(at, keys::PRECISION.name, Problem::Refused { reason });
    }
    precision
}

fn count(number: Option<u64>) -> usize {
    number.and_then(|number| usize::try_from(number).ok()).unwrap_or(1)
}
