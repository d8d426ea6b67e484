//! Who has signed a date off, as the workbook and the tables write it.

use chrono_tz::Tz;

use tieout_model::Signature;

/// When somebody signed, by the clock of the configured time zone.
pub(super) fn local_time(by: &Signature, time_zone: Tz) -> String {
    let moment = by.moment.with_timezone(&time_zone);
    format!("{} {}", moment.format("%Y-%m-%d %H:%M"), time_zone.name())
}
