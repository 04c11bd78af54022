//! Points in time as Flower writes them into headers.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

/// Seconds since 1970; zero before.
pub(crate) fn since_1970(time: SystemTime) -> Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// `2026-11-18T01:33:18.123456+00:00`.
pub(crate) fn iso(time: SystemTime) -> String {
    let since = since_1970(time);
    let (days, second) = (since.as_secs() / DAY, since.as_secs() % DAY);
    let (year, month, day) = civil(days);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    let (second, micros) = (second % 60, since.subsec_micros());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}+00:00")
}

/// Seconds since 1970 of `Wed, 18 Nov 2026 01:33:18 GMT`, the form of HTTP.
pub(crate) fn of_http(text: &str) -> Option<u64> {
    let words: Vec<&str> = text.split([' ', ':']).collect();
    let [_, day, month, year, hour, minute, second, "GMT"] = words[..] else { return None };
    let months =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = 1 + months.iter().position(|&name| name == month)? as u64;
    let number = |text: &str| text.parse::<u64>().ok().filter(|&number| number < 10_000);
    let days = days_of(number(year)?, month, number(day)?)?;
    Some(days * DAY + number(hour)? * 3600 + number(minute)? * 60 + number(second)?)
}

/// Year, month and day of a number of days since 1970, by counting from a first of March.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

/// Its inverse.
fn days_of(year: u64, month: u64, day: u64) -> Option<u64> {
    let year = if month <= 2 { year.checked_sub(1)? } else { year };
    let (era, of_era) = (year / 400, year % 400);
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * shifted + 2) / 5 + day.checked_sub(1)?;
    (era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year).checked_sub(719_468)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_dates_are_written_as_python_writes_them() {
        let at = |seconds, micros: u32| UNIX_EPOCH + Duration::new(seconds, micros * 1000);
        assert_eq!(iso(at(0, 0)), "1970-01-01T00:00:00.000000+00:00");
        assert_eq!(iso(at(951_782_400, 1)), "2000-02-29T00:00:00.000001+00:00");
        assert_eq!(iso(at(1_795_051_998, 123_456)), "2026-11-19T01:33:18.123456+00:00");
        assert_eq!(of_http("Thu, 19 Nov 2026 01:33:18 GMT"), Some(1_795_051_998));
        assert_eq!(of_http("yesterday"), None);
    }

    proptest! {
        #[test]
        fn every_day_comes_back(days in 0u64..100_000) {
            let (year, month, day) = civil(days);
            prop_assert!((1..=12).contains(&month) && (1..=31).contains(&day));
            prop_assert_eq!(days_of(year, month, day), Some(days));
        }
    }
}
