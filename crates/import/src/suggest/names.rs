//! The usual headers of exports, in lower case without accents and punctuation; of several, the
//! first one in the file counts.

use crate::table::{Book, Says, movement, names_given_back, names_kind, names_state};

pub(super) type Names = &'static [(&'static str, &'static [&'static str])];

/// In merchants' books: exports of shops, payment services and accounting programs.
pub(super) const LEDGER: Names = &[
    (
        "date",
        &[
            "created at",
            "created date utc",
            "created utc",
            "creation date",
            "transaction date",
            "purchase date",
            "posting date",
            "date",
            "order date",
            "paid at",
            "document date",
            "booking date",
            "buchungsdatum",
            "tran date",
            "trans date",
            "date time",
            "created",
            "invoice date",
            "payment date",
        ],
    ),
    ("time", &["time", "uhrzeit", "heure", "hora"]),
    ("zone", &["time zone", "timezone", "zeitzone", "fuseau horaire", "zona horaria"]),
    ("debit", &["gross credit gc"]),
    ("credit", &["gross debit gc"]),
    (
        "amount",
        &[
            "total collected",
            "gross",
            "amount",
            "grand total purchased",
            "grand total base",
            "grand total",
            "order total",
            "total",
            "gross amount",
            "amount in local currency",
            "amount in lc",
            "amount lcy",
            "net amount",
            "total amount",
            "n revenue",
            "amount foreign currency",
        ],
    ),
    ("refund", &[]),
    (
        "currency",
        &[
            "currency",
            "order currency",
            "gross currency",
            "currency code",
            "local currency",
            "transaction currency",
        ],
    ),
    (
        "kind",
        &[
            "event type",
            "type",
            "transaction type",
            "document type",
            "record type",
            "kind",
            "source",
        ],
    ),
    ("status", &["financial status", "payment status", "status", "order status"]),
    ("last4", &["card last4", "pan suffix", "last4", "last 4", "card last 4"]),
    (
        "id",
        &[
            "transaction id",
            "payment id",
            "psp reference",
            "order number",
            "order id",
            "order",
            "document number",
            "document no",
            "doc number",
            "entry no",
            "id",
            "internal id",
            "num",
            "number",
            "no",
            "invoice number",
            "invoice no",
            "invoice",
            "reference",
            "ref",
            "name",
            "journal",
            "receipt",
            "tran id",
            "voucher",
        ],
    ),
    ("order_id", &["invoice number", "merchant reference", "order id", "order number", "order"]),
    (
        "reference",
        &["payment reference", "processor ref", "processor reference", "external document no"],
    ),
];

/// In banks' tables.
pub(super) const BANK: Names = &[
    (
        "date",
        &[
            "posting date",
            "booking date",
            "post date",
            "posted date",
            "date posted",
            "transaction date",
            "date",
            "completed date",
            "process date",
            "processed date",
            "effective date",
            "buchung",
            "buchungstag",
            "buchungsdatum",
            "datum",
            "boekdatum",
            "date operation",
            "date comptable",
            "date de comptabilisation",
            "fecha operacion",
            "fecha",
            "f operacion",
            "fecha valor",
            "data",
            "data contabile",
            "value date",
            "valuta",
            "valutadatum",
        ],
    ),
    ("debit", &[]),
    ("credit", &[]),
    ("amount", &["amount", "transaction amount", "value"]),
    ("status", &["status"]),
    ("currency", &["currency", "ccy"]),
    (
        "description",
        &[
            "description",
            "transaction description",
            "details",
            "narrative",
            "verwendungszweck",
            "libelle",
            "concepto",
            "descripcion",
            "omschrijving",
            "descrizione",
            "counter party",
            "memo",
            "payee",
            "name",
            "naam omschrijving",
            "beguenstigter zahlungspflichtiger",
            "begunstigter zahlungspflichtiger",
            "auftraggeber empfanger",
            "text",
            "buchungstext",
            "transaction",
            "particulars",
            "name description",
            "reference",
            "mededelingen",
            "beschreibung",
            "transaction details",
            "payee name",
            "movimiento",
            "causale",
        ],
    ),
    (
        "reference",
        &[
            "bank reference",
            "transaction id",
            "reference number",
            "reference",
            "referenz",
            "referencia",
        ],
    ),
    (
        "account",
        &[
            "account number",
            "account",
            "iban",
            "auftragskonto",
            "konto",
            "rekening",
            "compte",
            "cuenta",
        ],
    ),
];

/// Whether a header has a word for `key`.
pub(super) fn is_called(key: &str, header: &str, book: Book) -> bool {
    let is_stem = |word: &str, stem: &str| {
        word == stem || (stem.len() > 3 && (word.starts_with(stem) || word.ends_with(stem)))
    };
    let has_stem =
        |stems: &[&str]| header.split(' ').any(|word| stems.iter().any(|stem| is_stem(word, stem)));
    let is_other = || has_stem(NO_AMOUNTS) || names_given_back(header);
    match key {
        "status" => names_state(header),
        "kind" => names_kind(header),
        "refund" => names_given_back(header),
        "amount" => has_stem(AMOUNTS) && !is_other(),
        "debit" | "credit" => {
            // Money in is a debit to a merchant's books, and a credit to the bank.
            let is_way = matches!(movement(Book::Bank, "", header), Some(Says::In | Says::Out));
            let is_in = (key == "debit") == (book == Book::Ledger);
            let way = if is_in { Says::In } else { Says::Out };
            is_way && !is_other() && movement(book, "", header) == Some(way)
        }
        "date" => has_stem(DATES) && !has_stem(NO_DATES),
        "currency" => has_stem(CURRENCIES) && !has_stem(NO_CURRENCIES),
        "description" => has_stem(TEXTS),
        "id" => has_stem(IDS) && !has_stem(NO_IDS),
        _ => false,
    }
}

/// Beginnings and ends of the words that headers have for a key, in the languages that are read.
const AMOUNTS: &[&str] = &[
    "amount", "betrag", "montant", "importe", "importo", "bedrag", "kwota", "total", "totale",
    "totaal", "umsatz", "brutto", "gross", "revenue", "bruto", "brut", "monto",
];
/// Of headers of other figures beside an amount.
const NO_AMOUNTS: &[&str] = &[
    "tax",
    "vat",
    "mwst",
    "steuer",
    "iva",
    "tva",
    "taxe",
    "btw",
    "fee",
    "fees",
    "gebuhr",
    "frais",
    "balance",
    "saldo",
    "solde",
    "bal",
    "discount",
    "rabatt",
    "remise",
    "descuento",
    "sconto",
    "korting",
    "shipping",
    "versand",
    "subtotal",
    "tip",
    "open",
    "remaining",
    "original",
    "items",
    "quantity",
    "outstanding",
    "due",
    "cents",
    "cent",
    "minor",
    "pence",
    "memo",
    "note",
    "card",
    "limit",
    "line",
    "number",
    "no",
];
const DATES: &[&str] = &["date", "datum", "fecha", "data", "buchungstag", "valuta"];
/// Of headers of value dates, which only their full names stand for.
const NO_DATES: &[&str] = &["wertstellung", "valeur", "valor", "value"];
const CURRENCIES: &[&str] =
    &["currency", "wahrung", "waehrung", "devise", "moneda", "munt", "valuta", "divisa"];
/// Of headers of other currencies than that of the amount.
const NO_CURRENCIES: &[&str] = &["original", "foreign", "converted", "exchange"];
const TEXTS: &[&str] = &[
    "descri",
    "libell",
    "verwendungszweck",
    "concepto",
    "omschrijv",
    "causale",
    "memo",
    "narrative",
    "detail",
    "text",
    "payee",
    "counterpart",
    "auftraggeber",
    "empfanger",
    "zahlungspflichtige",
    "tegenpartij",
    "naam",
    "mededeling",
    "motif",
    "communication",
];
/// Of headers of other numbers.
const NO_IDS: &[&str] =
    &["account", "card", "phone", "customer", "konto", "karte", "client", "kunde", "compte", "zip"];
const IDS: &[&str] = &[
    "order",
    "bestell",
    "bestel",
    "commande",
    "pedido",
    "ordine",
    "beleg",
    "rechnung",
    "facture",
    "factura",
    "fattura",
    "factuur",
    "invoice",
    "transaktions",
    "transaction",
    "piece",
    "nummer",
    "numero",
    "number",
    "id",
    "nr",
    "no",
    "num",
    "reference",
    "referenz",
    "ref",
    "entry",
];
