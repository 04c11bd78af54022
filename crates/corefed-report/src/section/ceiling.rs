//! From which ceiling on agents can be served, nobody leaves, and the question is empty.

use corefed_core::{Verdict, shell_word};

use super::answer::mark;
use super::{Block, Chart, Section, grid};
use crate::ceiling_lines::ceiling_lines;
use crate::html::{capital, escape};
use crate::page::Page;
use crate::sentence::class;
use crate::summary::ceiling::sentences;
use crate::tables;

pub(super) fn section(page: &Page) -> Option<Section> {
    let search = page.searched.as_ref()?;
    let mut said = sentences(search);
    // The last one recommends, which is told first here.
    let last = said.pop().unwrap_or_default();
    let (verdict, word, headline, lead) = match &search.recommended {
        Some(found) => {
            let what = found.ceiling.as_ref().map_or_else(
                || format!("{} times these ceilings", found.scale),
                |ceiling| format!("--ceiling {}", shell_word(ceiling)),
            );
            (Verdict::Stable, "Certified stable", format!("Use {what}."), found.reason.clone())
        }
        None => (Verdict::Undecided, "Nothing to recommend", capital(&last), String::new()),
    };
    let mut html = format!(
        "<div class=\"verdict {}\"><p class=\"badge\">{} {word}</p>\n<p class=\"headline\">{}</p>\n\
         <p class=\"lead\">{}</p></div>\n<ul>\n",
        class(verdict),
        mark(verdict),
        escape(&headline),
        escape(&capital(&lead))
    );
    html.extend(said.iter().map(|line| format!("<li>{}.</li>\n", escape(&capital(line)))));
    html.push_str("</ul>\n");
    let lines = ceiling_lines(search);
    let table = grid(&tables::ceiling(search), "ceiling", "Every scale that was tried");
    let chart = Chart::block(
        "fig-ceiling",
        "Kappa and headroom against the scale of the ceilings",
        "Logarithmic. Above the line at one, some group would leave; where headroom reaches it, none could.",
        |width| lines.draw(width),
        Some(table),
    );
    Some(Section { id: "search", title: "Which ceiling?", blocks: vec![Block::Html(html), chart] })
}
