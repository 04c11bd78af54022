//! The page as one HTML document.

use std::fmt::Write;

use crate::embed::{data, inside_script};
use crate::html::escape;
use crate::page::Page;
use crate::section::{Section, sections};

const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/page.js");
/// Nothing may be fetched, whatever a name in the data tries.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

/// One self-contained document. Equal pages give equal bytes.
#[must_use]
pub fn render(page: &Page) -> String {
    let sections = sections(page);
    let embedded = inside_script(&data(page, &sections));
    let title = escape(&page.title);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"CoreFed\">\n<title>{title} · CoreFed</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the answer</a>\n<header>\n\
         <div class=\"top\"><p class=\"brand\">CoreFed report</p>\
         <button type=\"button\" id=\"theme\" hidden>Dark</button></div>\n\
         <h1>{title}</h1>\n<p class=\"sub\">{}</p>\n{}</header>\n<main id=\"main\">\n",
        escape(&page.subtitle),
        contents(&sections)
    );
    html.push_str(&edited(&page.edits));
    for section in &sections {
        html.push_str(&body(section));
    }
    // Writing to a String cannot fail.
    let _ = write!(
        html,
        "</main>\n<footer><p>Made by CoreFed from the files named above. This page fetches nothing and \
         sends nothing.</p></footer>\n<div id=\"tip\" role=\"tooltip\" hidden></div>\n\
         <script type=\"application/json\" id=\"corefed-data\">{embedded}</script>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    );
    html
}

/// Before anything else: what follows was made of files that are not what was written.
fn edited(edits: &[String]) -> String {
    if edits.is_empty() {
        return String::new();
    }
    let lines: Vec<String> =
        edits.iter().map(|edit| format!("<li>{}</li>", escape(edit))).collect();
    format!(
        "<div class=\"warning\"><p><b>Edited since it was written.</b> This page shows files as they are now:</p>\n\
         <ul>\n{}\n</ul></div>\n",
        lines.join("\n")
    )
}

fn contents(sections: &[Section]) -> String {
    let mut html = String::from("<nav aria-label=\"Sections\"><ul>");
    for section in sections {
        let _ = write!(html, "<li><a href=\"#{}\">{}</a></li>", section.id, section.title);
    }
    html.push_str("</ul></nav>\n");
    html
}

fn body(section: &Section) -> String {
    let Section { id, title, blocks } = section;
    let mut html = format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-h\">\n<h2 id=\"{id}-h\">{title}</h2>\n"
    );
    for block in blocks {
        html.push_str(&block.html());
    }
    html.push_str("</section>\n");
    html
}
