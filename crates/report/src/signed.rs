//! The time of a signature, in the format of the workbook and the tables.

use chrono_tz::Tz;

use tieout_model::Signature;

/// The time of a signature in the configured time zone.
pub(super) fn local_time(by: &Signature, time_zone: Tz) -> String {
    let moment = by.moment.with_timezone(&time_zone);
    format!("{} {}", moment.format("%Y-%m-%d %H:%M"), time_zone.name())
}
