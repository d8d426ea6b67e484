//! The possible readings of a text without a declared encoding: code pages of banks.

use encoding_rs::{Encoding, ISO_8859_2, UTF_16BE, UTF_16LE, WINDOWS_1250, WINDOWS_1252};

/// The upper halves of the code pages that `encoding_rs` does not know.
const CP437: &str = "\
     ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ\
     áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
     └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
     αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}\
     ";
const CP850: &str = "\
     ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ\
     áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
     └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀\
     ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}\
     ";
const CP852: &str = "\
     ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×č\
     áíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐\
     └┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀\
     ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}\
     ";

/// The German variant of ISO 646, in which brackets stand for umlauts.
const DIN_66003: [(char, char); 8] = [
    ('[', 'Ä'),
    ('\\', 'Ö'),
    (']', 'Ü'),
    ('{', 'ä'),
    ('|', 'ö'),
    ('}', 'ü'),
    ('~', 'ß'),
    ('@', '§'),
];

/// Every reading of `bytes`, the likeliest first. Valid UTF-8 and text with a byte order mark have
/// one reading; all readings of other bytes agree in their ASCII.
pub fn decodings(bytes: &[u8], declared: Option<&'static Encoding>) -> Vec<String> {
    if let Some((encoding, mark_length)) = Encoding::for_bom(bytes) {
        return vec![encoding.decode_without_bom_handling(&bytes[mark_length..]).0.into_owned()];
    }
    // UTF-16 without its mark, for a text that begins with ASCII.
    match bytes {
        [_, 0, _, 0, ..] => {
            return vec![UTF_16LE.decode_without_bom_handling(bytes).0.into_owned()];
        }
        [0, _, 0, _, ..] => {
            return vec![UTF_16BE.decode_without_bom_handling(bytes).0.into_owned()];
        }
        _ => {}
    }
    let declared = declared.filter(|encoding| encoding.is_ascii_compatible());
    if let Some(text) = declared.and_then(|encoding| strictly(encoding, bytes)) {
        return vec![text];
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return vec![text.to_owned()];
    }
    let mut readings: Vec<String> = [WINDOWS_1252, WINDOWS_1250, ISO_8859_2]
        .iter()
        .map(|encoding| encoding.decode_without_bom_handling(bytes).0.into_owned())
        .collect();
    readings.extend([CP850, CP437, CP852].map(|page| by_page(page, bytes)));
    readings
}

/// `text` in the German variant of ASCII, when that makes a difference.
pub fn as_din_66003(text: &str) -> Option<String> {
    let of = |one: char| DIN_66003.iter().find(|(ascii, _)| *ascii == one).map(|(_, own)| *own);
    text.chars()
        .any(|one| of(one).is_some())
        .then(|| text.chars().map(|one| of(one).unwrap_or(one)).collect())
}

fn strictly(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    let (text, had_errors) = encoding.decode_without_bom_handling(bytes);
    (!had_errors).then(|| text.into_owned())
}

fn by_page(page: &str, bytes: &[u8]) -> String {
    let upper: Vec<char> = page.chars().collect();
    let of = |byte: u8| match byte.checked_sub(0x80) {
        Some(at) => upper.get(usize::from(at)).copied().unwrap_or('\u{fffd}'),
        None => char::from(byte),
    };
    bytes.iter().map(|byte| of(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_whole_code_pages() {
        for page in [CP437, CP850, CP852] {
            assert_eq!(page.chars().count(), 128);
        }
    }

    #[test]
    fn reads_a_name_in_every_code_page_that_banks_use() {
        let cases: [(&[u8], &str); 4] = [
            (b"M\x9aLLER", "MÜLLER"),
            (b"M\xdcLLER", "MÜLLER"),
            (b"\x9d\xa2d\xab", "Łódź"),
            ("Müller".as_bytes(), "Müller"),
        ];
        for (bytes, expected) in cases {
            let readings = decodings(bytes, None);
            assert!(readings.iter().any(|text| text == expected), "{expected}: {readings:?}");
        }
        assert_eq!(as_din_66003("M]LLER").as_deref(), Some("MÜLLER"));
        assert_eq!(as_din_66003("MUELLER"), None);
    }
}
