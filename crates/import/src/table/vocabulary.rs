//! The words for kinds, statuses and directions in files: English, French, German, Spanish and
//! additions by banks. In lower case, without accents.

/// The owner of a table: debit and credit have opposite meanings in a merchant's books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Book {
    Bank,
    Ledger,
}

/// The meaning of a word for its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// Money received.
    In,
    /// Money given back or paid out.
    Out,
    /// A word for both directions: it means outgoing money where other words of the column mean
    /// incoming.
    MaybeOut,
    /// Neither a payment nor a refund.
    Elsewhere,
    /// Paid, or booked.
    Done,
    /// Not paid, or not booked; with the standard word for it in a ledger.
    NotDone(&'static str),
}

/// Words separated by bars.
type Words = &'static str;

fn has(words: Words, text: &str) -> bool {
    !text.is_empty() && words.split('|').any(|word| word == text)
}

/// Account terms: an amount that a bank owes is a credit to the bank and a debit to the merchant.
const DEBIT: Words = "\
    d|dr|db|s|debit|debits|dbit|soll|lastschrift|belastung|debet|debito|cargo|debe|dare|\
    addebito";
const CREDIT: Words =
    "c|cr|h|credit|credits|crdt|haben|gutschrift|kredit|credito|abono|haber|avere|accredito";

/// Terms for money.
const MONEY_IN: Words = "\
    in|bij|deposit|deposits|incoming|inflow|money in|paid in|eingang|zugang|entree|\
    encaissement|recette|depot|entrada|ingreso|entrata|received";
const MONEY_OUT: Words = "\
    out|af|withdrawal|withdrawals|outgoing|outflow|money out|paid out|ausgang|abgang|sortie|\
    decaissement|depense|retrait|salida|gasto|egreso|retiro|uscita|sent";

/// Outgoing money in the terms of a bank, incoming money in other terms.
const MAYBE_OUT: Words = "payment|payments|zahlung|paiement|pago|payout";

const PAYMENTS: Words = "\
    payment|payments|sale|sales|charge|capture|purchase|order|invoice|receipt|settled|\
    zahlung|verkauf|rechnung|umsatz|paiement|vente|facture|encaissement|pago|venta|factura|\
    cobro|pagamento|betaling";
const REFUNDS: Words = "\
    refund|refunds|refunded|return|returns|reversal|reversed|chargeback|credit note|\
    credit memo|creditnote|creditmemo|erstattung|ruckerstattung|ruckzahlung|gutschrift|\
    storno|retoure|remboursement|avoir|retour|annulation|reembolso|devolucion|\
    nota de credito|abono|rimborso|terugbetaling";
const OTHER_KINDS: Words = "\
    payout|payouts|transfer|fee|fees|adjustment|withdrawal|bill|expense|journal|auszahlung|\
    gebuhr|uberweisung|virement|frais|commission|versement|comision|transferencia|\
    merchantpayout|invoicededuction|dispute";

const PAID: Words = "\
    paid|complete|completed|succeeded|success|successful|captured|settled|sentforsettle|\
    approved|processed|bezahlt|abgeschlossen|ausgeglichen|erfolgreich|paye|payee|termine|\
    reussi|valide|pagado|pagada|completado|completada|exitoso|betaald|accepted|cleared|\
    deposited|partially refunded|paid in full";
const VOID: Words = "\
    void|voided|cancelled|canceled|expired|deleted|storniert|abgebrochen|annule|annulee|\
    anulado|anulada|cancelado|cancelada|annullato|reverted|reversed|revertido";
const DECLINED: Words = "\
    declined|failed|failure|refused|rejected|denied|error|abgelehnt|fehlgeschlagen|refuse|\
    refusee|echoue|echec|rechazado|rechazada|fallido|fallida|denegado";
const RETURNED: Words = "returned|bounced|charged back|chargeback|zuruckgegeben|rejete|devuelto";
/// Amounts that are not expected at the processor.
const WAITING: Words = "\
    pending|unpaid|open|draft|on hold|hold|overdue|processing|authorized|authorised|\
    authorisation|authorization|incomplete|refunded|offen|ausstehend|entwurf|unbezahlt|\
    zuruckerstattet|en attente|impaye|rembourse|brouillon|pendiente|reembolsado|impagado|\
    abierto|awaiting payment|pending payment|uncaptured|requires capture|\
    requires payment method";

const BOOKED: Words = "\
    booked|posted|cleared|completed|complete|settled|processed|executed|book|gebucht|\
    verbucht|geboekt|comptabilise|comptabilisee|effectue|execute|contabilizado|\
    contabilizada|realizado|completado|aplicado";
const PENDING: Words = "\
    pending|processing|scheduled|authorized|authorised|pdng|in process|uncleared|hold|\
    on hold|in progress|future|vorgemerkt|ausstehend|offen|geplant|en attente|a venir|\
    en cours|pendiente|programado|en curso|retenido";

/// A text with more words is a sentence.
const MAX_WORDS: usize = 4;

/// Headers of columns about other things, whose words may be the same.
const OTHER_THINGS: Words = "\
    card|method|tender|brand|network|scheme|funding|shipping|fulfillment|fulfilment|\
    delivery|carrier|accepts|marketing|karte|kartenart|zahlungsart|zahlungsmethode|zahlart|\
    versand|lieferstatus|carte|moyen|livraison|tarjeta|metodo|forma|envio|risk|dispute|\
    payout|gateway";

/// Headers under which single letters are directions.
const DIRECTIONS: Words = "\
    sh|hs|dc|cd|drcr|crdr|soll|haben|debit|credit|direction|sign|af|bij|sens|sentido|signo|\
    vorzeichen|dr|cr";

/// `text` in lower case without accents, with one space for each run of other characters.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.trim().chars().flat_map(char::to_lowercase) {
        match base(letter) {
            Some(letter) => plain.push(letter),
            None if letter == 'ß' => plain.push_str("ss"),
            None if plain.is_empty() || plain.ends_with(' ') => {}
            None => plain.push(' '),
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// The letter without its accent.
fn base(letter: char) -> Option<char> {
    const ACCENTED: [(&str, char); 12] = [
        ("àáâäãåą", 'a'),
        ("çćč", 'c'),
        ("èéêëęě", 'e'),
        ("ìíîï", 'i'),
        ("ł", 'l'),
        ("ñń", 'n'),
        ("òóôöõø", 'o'),
        ("śš", 's'),
        ("ùúûüů", 'u'),
        ("ýÿ", 'y'),
        ("źżž", 'z'),
        ("ř", 'r'),
    ];
    if letter.is_alphanumeric() && letter != 'ß' {
        let known = ACCENTED.iter().find(|(accented, _)| accented.contains(letter));
        return Some(known.map_or(letter, |(_, base)| *base));
    }
    None
}

/// The meaning of a cell for the money: its direction, or its kind in a ledger.
pub(crate) fn movement(book: Book, header: &str, cell: &str) -> Option<Says> {
    let sign = match cell.trim() {
        "+" => Some(Says::In),
        "-" | "\u{2212}" => Some(Says::Out),
        _ => None,
    };
    if sign.is_some() {
        return sign.filter(|_| is_direction(header));
    }
    let word = plain(cell);
    let is_letter = word.len() == 1;
    if word.is_empty() || (is_letter && book == Book::Ledger && !is_direction(header)) {
        return None;
    }
    let says = |words| says(&word, words);
    if book == Book::Ledger {
        for (words, said) in
            [(REFUNDS, Says::Out), (OTHER_KINDS, Says::Elsewhere), (PAYMENTS, Says::In)]
        {
            if says(words) {
                return Some(said);
            }
        }
    }
    // Credit and debit can also be kinds of cards.
    let is_of_card = ["card", "karte", "carte", "tarjeta"].iter().any(|card| word.contains(card));
    let is_way = !is_of_card && !plain(header).ends_with("payment type");
    let (owed, owing) = match book {
        Book::Bank => (CREDIT, DEBIT),
        Book::Ledger => (DEBIT, CREDIT),
    };
    match (says(owed) || says(MONEY_IN), says(owing) || says(MONEY_OUT)) {
        (true, false) if is_way => Some(Says::In),
        (false, true) if is_way => Some(Says::Out),
        (false, false) if book == Book::Bank && says(MAYBE_OUT) => Some(Says::MaybeOut),
        _ => None,
    }
}

/// The meaning of a cell for the state of its row.
pub(crate) fn standing(book: Book, cell: &str) -> Option<Says> {
    let word = plain(cell);
    let is = |words: Words| has(words, &word);
    let lists: &[(Words, Says)] = match book {
        Book::Bank => &[
            (BOOKED, Says::Done),
            (PENDING, Says::NotDone("pending")),
            (VOID, Says::NotDone("ignore")),
            (DECLINED, Says::NotDone("ignore")),
        ],
        Book::Ledger => &[
            (PAID, Says::Done),
            (VOID, Says::NotDone("void")),
            (DECLINED, Says::NotDone("declined")),
            (RETURNED, Says::NotDone("returned")),
            (WAITING, Says::NotDone("ignore")),
        ],
    };
    lists.iter().find(|(words, _)| is(words)).map(|(_, said)| *said)
}

/// The standard word for a cell in a column of `key`, as in `values`; `None` for an unknown word.
pub(crate) fn ours(book: Book, key: &str, header: &str, cell: &str) -> Option<&'static str> {
    Some(match (key, book) {
        ("status", _) => match (standing(book, cell)?, book) {
            (Says::Done, Book::Bank) => "booked",
            (Says::Done, Book::Ledger) => "paid",
            (Says::NotDone(word), _) => word,
            _ => return None,
        },
        (_, Book::Bank) => match movement(book, header, cell)? {
            Says::In => "credit",
            Says::Out | Says::MaybeOut => "debit",
            _ => return None,
        },
        (_, Book::Ledger) => match movement(book, header, cell)? {
            Says::In => "payment",
            Says::Out => "refund",
            Says::Elsewhere => "ignore",
            _ => return None,
        },
    })
}

/// Whether a bank's word means booked (true) or not (false).
pub(crate) fn is_booked(cell: &str) -> Option<bool> {
    if !cell.starts_with(char::is_alphabetic) {
        return None;
    }
    match standing(Book::Bank, cell)? {
        Says::Done => Some(true),
        Says::NotDone("pending") => Some(false),
        _ => None,
    }
}

/// Checks whether a column with that header is about another thing.
pub(crate) fn is_of_another_thing(header: &str) -> bool {
    plain(header).split(' ').any(|word| has(OTHER_THINGS, word))
}

fn is_direction(header: &str) -> bool {
    let header = plain(header);
    header.is_empty()
        || header.split(' ').any(|word| has(DIRECTIONS, word))
        || matches!(header.as_str(), "s h" | "h s" | "d c" | "c d" | "type" | "typ")
}

/// Checks whether a short text is one of `words`, or contains one as a separate word.
fn says(text: &str, words: Words) -> bool {
    if has(words, text) {
        return true;
    }
    let mut own = text.split(' ');
    text.contains(' ')
        && text.matches(' ').count() < MAX_WORDS
        && own.any(|word| word.len() > 2 && has(words, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_words_in_every_language_that_is_read() {
        let bank = [
            ("Débit", Some(Says::Out)),
            ("ACH_CREDIT", Some(Says::In)),
            ("Money in", Some(Says::In)),
            ("Lastschrift", Some(Says::Out)),
            ("Abono", Some(Says::In)),
            ("Cargo", Some(Says::Out)),
            ("Soll", Some(Says::Out)),
            ("Payment", Some(Says::MaybeOut)),
            ("Credit card", None),
            ("Rent", None),
        ];
        for (cell, expected) in bank {
            assert_eq!(movement(Book::Bank, "Type", cell), expected, "{cell}");
        }
        let ledger = [
            ("Remboursement", Some(Says::Out)),
            ("Payment Refund", Some(Says::Out)),
            ("Rückerstattung", Some(Says::Out)),
            ("charge", Some(Says::In)),
            ("Payout", Some(Says::Elsewhere)),
            ("Haben", Some(Says::Out)),
            ("Mug", None),
        ];
        for (cell, expected) in ledger {
            assert_eq!(movement(Book::Ledger, "Type", cell), expected, "{cell}");
        }
        assert_eq!(movement(Book::Ledger, "Class", "S"), None);
        assert_eq!(standing(Book::Ledger, "Annulé"), Some(Says::NotDone("void")));
        assert_eq!(standing(Book::Ledger, "bezahlt"), Some(Says::Done));
        assert_eq!(is_booked("Vorgemerkt"), Some(false));
        assert!(is_of_another_thing("Card Type") && !is_of_another_thing("Type"));
    }
}
