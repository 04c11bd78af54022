//! Dates and times of the day, read from text.

/// A moment on the calendar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moment {
    /// Days since the first of January 1970.
    pub(crate) day: i64,
    /// From 1.
    pub(crate) month: u32,
    /// Seconds since midnight, if a time of the day is given.
    pub(crate) seconds: Option<f64>,
}

/// Names of months, as levels are named.
pub(crate) const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// Names of days, from the one that the first of January 1970 was.
pub(crate) const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

const SECONDS: f64 = 86_400.0;

impl Moment {
    /// Reads `2024-03-01`, `2024/03/01` or `01.03.2024`, with a time such as `13:05` or `13:05:30.5`
    /// behind a `T` or a space, if there is one.
    pub(crate) fn of(cell: &str) -> Option<Self> {
        let (date, clock) = match cell.split_once(['T', ' ']) {
            Some((date, clock)) => (date, Some(clock.trim_end_matches('Z'))),
            None => (cell, None),
        };
        let (year, month, day) =
            if let Some([year, month, day]) = parts(date, '-').or_else(|| parts(date, '/')) {
                (whole(year, 4)?, whole(month, 2)?, whole(day, 2)?)
            } else {
                let [day, month, year] = parts(date, '.')?;
                (whole(year, 4)?, whole(month, 2)?, whole(day, 2)?)
            };
        let fits = (1..=12).contains(&month) && day >= 1 && day <= days_in(year, month);
        let seconds = match clock {
            Some(clock) => Some(time_of_day(clock)?),
            None => None,
        };
        fits.then(|| Self { day: day_number(year, month, day), month, seconds })
    }

    /// Days since 1970, with the time as a fraction.
    pub(crate) fn days(self) -> f64 {
        self.day as f64 + self.seconds.unwrap_or(0.0) / SECONDS
    }

    /// Its name among [`WEEKDAYS`].
    pub(crate) fn weekday(self) -> &'static str {
        WEEKDAYS[usize::try_from(self.day.rem_euclid(7)).unwrap_or_default()]
    }
}

/// Whether a text is a date whose day and month cannot be told apart: `03/01/2024`.
pub(crate) fn is_ambiguous(cell: &str) -> bool {
    let date = cell.split_once(' ').map_or(cell, |(date, _)| date);
    let small =
        |text: &str| text.len() <= 2 && text.parse::<u32>().is_ok_and(|n| (1..=31).contains(&n));
    parts(date, '/').is_some_and(|[a, b, year]| {
        small(a) && small(b) && matches!(year.len(), 2 | 4) && year.parse::<u32>().is_ok()
    })
}

fn time_of_day(clock: &str) -> Option<f64> {
    let mut fields = clock.split(':');
    let (hour, minute) = (whole(fields.next()?, 2)?, whole(fields.next()?, 2)?);
    let second: f64 = match fields.next() {
        Some(text) => text.parse().ok()?,
        None => 0.0,
    };
    let fits = hour < 24 && minute < 60 && (0.0..61.0).contains(&second) && fields.next().is_none();
    fits.then(|| f64::from(hour * 3600 + minute * 60) + second)
}

/// A number of at most this many digits and nothing else.
fn whole(text: &str, digits: usize) -> Option<u32> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let long = if digits == 4 { text.len() == 4 } else { text.len() <= digits };
    (plain && long).then(|| text.parse().ok()).flatten()
}

fn parts(text: &str, separator: char) -> Option<[&str; 3]> {
    let mut parts = text.split(separator);
    let found = [parts.next()?, parts.next()?, parts.next()?];
    parts.next().is_none().then_some(found)
}

fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 => 28 + u32::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since the first of January 1970 in the Gregorian calendar.
fn day_number(year: u32, month: u32, day: u32) -> i64 {
    let before = i64::from(year) - 1;
    let leaps = before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400);
    let months: u32 = (1..month).map(|month| days_in(year, month)).sum();
    // The first of January of the year 1 is day 0 of this count, and that of 1970 day 719162.
    before * 365 + leaps + i64::from(months) + i64::from(day) - 1 - 719_162
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days_have_known_numbers() {
        for (text, day, weekday) in [
            ("1970-01-01", 0, "Thu"),
            ("1969-12-31", -1, "Wed"),
            ("2000-02-29", 11_016, "Tue"),
            ("2000-03-01", 11_017, "Wed"),
            ("2024-03-01", 19_783, "Fri"),
            ("01.03.2024", 19_783, "Fri"),
            ("2024/3/1", 19_783, "Fri"),
        ] {
            let moment = Moment::of(text).unwrap();
            assert_eq!((moment.day, moment.weekday()), (day, weekday), "{text}");
        }
        let noon = Moment::of("2024-03-01T12:00:00Z").unwrap();
        assert!((noon.days() - 19_783.5).abs() < 1e-12);
    }

    #[test]
    fn every_day_of_four_centuries_follows_the_one_before() {
        let mut expected = Moment::of("1900-01-01").unwrap().day;
        for year in 1900..2300 {
            for month in 1..=12 {
                for day in 1..=days_in(year, month) {
                    assert_eq!(day_number(year, month, day), expected);
                    expected += 1;
                }
            }
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for wrong in [
            "2024-13-01",
            "2023-02-29",
            "2024-01-01 25:00",
            "soon",
            "",
            "12",
            "2024-01",
            "1.2.3",
            "10.0.0.1",
            "24-01-01",
            "2024-01-01 10",
        ] {
            assert_eq!(Moment::of(wrong), None, "{wrong}");
        }
        assert!(is_ambiguous("03/01/2024") && is_ambiguous("3/1/24 13:05"));
        assert!(!is_ambiguous("2024/03/01") && !is_ambiguous("1/2"));
    }
}
