//! Text and numbers as HTML. Names come from users: nothing in them may act.

use corefed_core::{is_hidden, one_line};

/// Text that may stand anywhere in a document, attributes included.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            // Control characters are not characters of HTML; direction marks could reorder a line.
            c if is_hidden(c) => escaped.push_str(&one_line(c.encode_utf8(&mut [0; 4]))),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// A name cut to what fits, with an ellipsis; not escaped.
pub(crate) fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Text whose hyphens inside words do not end lines: `clinic-6` stays whole.
pub(crate) fn unbroken(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let inside = |k: usize| {
        let near = |at: Option<&char>| at.is_some_and(|c| c.is_alphanumeric());
        k > 0 && near(letters.get(k - 1)) && near(letters.get(k + 1))
    };
    let each = letters.iter().enumerate();
    each.map(|(k, c)| if *c == '-' && inside(k) { '\u{2011}' } else { *c }).collect()
}

/// The same as the beginning of a sentence.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A number for people: about four digits that matter.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if value.is_nan() {
        return "–".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".to_owned() } else { minus("-∞") };
    }
    let text = match size {
        s if s.fract() == 0.0 && s < 1e6 => format!("{value:.0}"),
        s if !(1e-4..1e6).contains(&s) => format!("{value:.2e}"),
        s if s >= 1000.0 => format!("{value:.0}"),
        s if s >= 100.0 => format!("{value:.1}"),
        s if s >= 10.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    };
    minus(&text)
}

/// A factor near one, where small differences decide.
pub(crate) fn factor(value: f64) -> String {
    if value.is_finite() && value.abs() < 10.0 {
        minus(&format!("{value:.4}"))
    } else {
        number(value)
    }
}

/// A whole number with thin spaces between thousands.
pub(crate) fn whole(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `20 %`, with a narrow space.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let text = if percent >= 10.0 || percent == 0.0 {
        format!("{percent:.0}")
    } else {
        format!("{percent:.1}")
    };
    format!("{text}\u{202f}%")
}

/// A real minus sign.
fn minus(text: &str) -> String {
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_acts() {
        assert_eq!(escape("<script>\"'&\u{202e}"), "&lt;script&gt;&quot;&#39;&amp;\\u202e");
    }

    #[test]
    fn a_name_does_not_break_at_its_hyphen() {
        assert_eq!(unbroken("clinic-6 - alone"), "clinic\u{2011}6 - alone");
        assert_eq!(unbroken("-"), "-");
    }

    #[test]
    fn numbers_keep_the_digits_that_matter() {
        for (value, shown) in [
            (0.0, "0"),
            (0.5624, "0.562"),
            (-4.1142, "−4.114"),
            (12.0603, "12.06"),
            (12345.6, "12346"),
            (2.5e9, "2.50e9"),
            (f64::INFINITY, "∞"),
        ] {
            assert_eq!(number(value), shown);
        }
        assert_eq!(whole(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(short("Universitätsklinikum", 8), "Univers…");
    }
}
