//! What each brings, what if somebody left or came, and what fairness costs.

use super::{Block, Section, told};
use crate::page::Page;
use crate::summary::stay::{contributions, price, questions};

pub(super) fn brought(page: &Page) -> Option<Section> {
    let stay = page.stay.as_ref()?;
    let mut blocks: Vec<Block> =
        told(&contributions(stay), "contributions").into_iter().skip(1).collect();
    for (k, part) in questions(stay).iter().enumerate() {
        blocks.extend(told(part, &format!("what-if-{}", k + 1)));
    }
    Some(Section { id: "contributions", title: "What each brings", blocks })
}

pub(super) fn priced(page: &Page) -> Option<Section> {
    let part = price(page.stay.as_ref()?)?;
    let blocks = told(&part, "price").into_iter().skip(1).collect();
    Some(Section { id: "price", title: "What fairness costs", blocks })
}
