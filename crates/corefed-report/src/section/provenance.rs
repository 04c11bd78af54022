//! Where everything comes from, and how to have it again.

use std::fmt::Write;

use super::{Block, Section};
use crate::html::escape;
use crate::page::Page;

#[expect(clippy::unnecessary_wraps, reason = "sections are optional, this one is always there")]
pub(super) fn section(page: &Page) -> Option<Section> {
    let from = &page.provenance;
    let mut html = String::new();
    if !from.facts.is_empty() {
        html.push_str("<dl class=\"provenance\">\n");
        for (name, value) in &from.facts {
            // Writing to a String cannot fail.
            let _ =
                writeln!(html, "<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value));
        }
        html.push_str("</dl>\n");
    }
    if !from.repeat.is_empty() {
        let _ = writeln!(
            html,
            "<h3>Do it again</h3>\n<pre tabindex=\"0\"><code>{}</code></pre>",
            escape(&from.repeat.join("\n"))
        );
    }
    if let Some(spec) = &from.spec {
        let _ = writeln!(
            html,
            "<details><summary>The whole spec</summary><pre tabindex=\"0\"><code>{}</code></pre></details>",
            escape(spec)
        );
    }
    html.push_str(
        "<div id=\"downloads\" hidden><h3>Downloads</h3><p class=\"small\">They are inside this page: \
         nothing is fetched.</p><p id=\"download-list\" class=\"save\"></p></div>\n",
    );
    Some(Section {
        id: "provenance",
        title: "Where this comes from",
        blocks: vec![Block::Html(html)],
    })
}
