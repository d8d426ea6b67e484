//! The words for kinds, states and directions in files: English, French, German, Spanish, Italian,
//! Dutch and additions by banks. In lower case, without accents.

/// Words separated by bars.
pub(super) type Words = &'static str;

/// Account terms: an amount that a bank owes is a credit to the bank and a debit to the merchant.
pub(super) const DEBIT: Words = "\
    d|dr|db|dt|s|debit|debits|dbit|soll|lastschrift|belastung|debet|debito|cargo|cargos|debe|\
    dare|addebito|addebiti|afschrijving";
pub(super) const CREDIT: Words = "\
    c|cr|ct|h|credit|credits|crdt|haben|gutschrift|kredit|credito|abono|abonos|haber|avere|\
    accredito|accrediti|bijschrijving";

/// Terms for money.
pub(super) const MONEY_IN: Words = "\
    in|bij|deposit|deposits|incoming|inbound|inflow|money in|paid in|received|receive|eingang|\
    eingange|eingehend|zugang|einnahme|einnahmen|entree|entrees|encaissement|recette|recettes|\
    recu|depot|entrada|entradas|ingreso|ingresos|recibido|entrata|entrate|ricevuto|inkomend|\
    ontvangen";
pub(super) const MONEY_OUT: Words = "\
    out|af|withdrawal|withdrawals|outgoing|outbound|outflow|money out|paid out|sent|spend|spent|\
    ausgang|ausgange|ausgehend|abgang|ausgabe|ausgaben|sortie|sorties|decaissement|depense|\
    depenses|retrait|salida|salidas|gasto|gastos|egreso|egresos|retiro|enviado|uscita|uscite|\
    inviato|uitgaand|verzonden";

/// Outgoing money in the terms of a bank, incoming money in other terms.
pub(super) const MAYBE_OUT: Words =
    "payment|payments|zahlung|paiement|pago|payout|pagamento|betaling";

pub(super) const PAYMENTS: Words = "\
    payment|payments|sale|sales|charge|capture|purchase|order|invoice|receipt|settled|\
    zahlung|verkauf|rechnung|umsatz|paiement|vente|facture|encaissement|pago|venta|factura|\
    cobro|pagamento|vendita|incasso|betaling|verkoop";
pub(super) const REFUNDS: Words = "\
    refund|refunds|refunded|return|returns|reversal|reversed|chargeback|credit note|\
    credit memo|creditnote|creditmemo|erstattung|ruckerstattung|ruckzahlung|gutschrift|\
    storno|retoure|remboursement|avoir|retour|annulation|reembolso|devolucion|\
    nota de credito|abono|rimborso|nota di credito|terugbetaling|creditnota";
pub(super) const OTHER_KINDS: Words = "\
    payout|payouts|transfer|fee|fees|adjustment|withdrawal|bill|expense|journal|hold|reserve|\
    auszahlung|abbuchung|gebuhr|uberweisung|virement|frais|commission|versement|retrait|\
    comision|transferencia|retiro|trasferimento|prelievo|commissione|overboeking|uitbetaling|\
    merchantpayout|invoicededuction|dispute";

pub(super) const PAID: Words = "\
    paid|complete|completed|succeeded|success|successful|captured|settled|sentforsettle|\
    approved|processed|bezahlt|abgeschlossen|ausgeglichen|erfolgreich|paye|payee|termine|\
    terminee|reussi|valide|pagado|pagada|completado|completada|exitoso|pagato|pagata|\
    completato|completata|riuscito|betaald|voltooid|geslaagd|accepted|cleared|deposited|\
    partially refunded|paid in full|shipped|delivered|fulfilled|versendet|geliefert|expediee|\
    livree|entregado|spedito|consegnato|geleverd";
pub(super) const VOID: Words = "\
    void|voided|cancelled|canceled|expired|deleted|storniert|abgebrochen|annule|annulee|\
    anulado|anulada|cancelado|cancelada|annullato|annullata|geannuleerd|vervallen|reverted|\
    reversed|revertido|stornato";
pub(super) const DECLINED: Words = "\
    declined|failed|failure|refused|rejected|denied|error|abgelehnt|fehlgeschlagen|refuse|\
    refusee|echoue|echouee|echec|rechazado|rechazada|fallido|fallida|denegado|denegada|\
    rifiutato|rifiutata|fallito|mislukt|geweigerd";
pub(super) const RETURNED: Words =
    "returned|bounced|charged back|chargeback|zuruckgegeben|rejete|devuelto";
/// Given back: the amount as it stands is not expected at the processor.
pub(super) const REFUNDED: Words = "\
    refunded|erstattet|ruckerstattet|zuruckerstattet|rembourse|remboursee|reembolsado|\
    reembolsada|rimborsato|rimborsata|terugbetaald";
/// Amounts that are not expected at the processor yet.
pub(super) const WAITING: Words = "\
    pending|unpaid|open|draft|on hold|hold|overdue|processing|authorized|authorised|\
    authorisation|authorization|incomplete|partially paid|offen|ausstehend|entwurf|unbezahlt|\
    en attente|impaye|brouillon|pendiente|impagado|abierto|in attesa|in sospeso|in behandeling|\
    openstaand|onbetaald|awaiting payment|pending payment|uncaptured|requires capture|\
    requires payment method";

pub(super) const BOOKED: Words = "\
    booked|posted|cleared|completed|complete|settled|processed|executed|sent|book|gebucht|\
    verbucht|ausgefuhrt|geboekt|verwerkt|comptabilise|comptabilisee|effectue|execute|\
    contabilizado|contabilizada|realizado|completado|aplicado|contabilizzato|contabilizzata|\
    eseguito|eseguita";
pub(super) const PENDING: Words = "\
    pending|processing|scheduled|authorized|authorised|pdng|in process|uncleared|unposted|hold|\
    on hold|in progress|future|awaiting|vorgemerkt|ausstehend|offen|geplant|en attente|a venir|\
    en cours|autorise|autorisee|pendiente|programado|en curso|retenido|autorizado|autorizada|\
    in attesa|in corso|autorizzato|autorizzata|in behandeling|gereserveerd|gepland";

/// Words that reverse the meaning of the text behind them.
pub(super) const NEGATIONS: Words = "not|un|non|pas|nicht|noch|niet|nog|no|ancora";

pub(super) const YES: Words = "yes|y|true|1|x|ja|j|wahr|oui|o|vrai|si|s|verdadero|vero|waar";
pub(super) const NO: Words = "no|n|false|0|nein|falsch|non|faux|falso|nee|onwaar";

/// Beginnings of header words that stand for an amount given back.
pub(super) const GIVEN_BACK: [&str; 9] = [
    "refund",
    "rembours",
    "reembols",
    "rimbors",
    "erstatt",
    "ruckerstatt",
    "zuruckerstatt",
    "terugbeta",
    "returned",
];

/// Headers of columns about other things, whose words may be the same.
pub(super) const OTHER_THINGS: Words = "\
    card|method|tender|brand|network|scheme|funding|shipping|fulfillment|fulfilment|\
    delivery|carrier|accepts|marketing|karte|kartenart|zahlungsart|zahlungsmethode|zahlart|\
    versand|lieferstatus|carte|moyen|livraison|tarjeta|metodo|forma|envio|risk|dispute|\
    payout|gateway";

/// Headers under which single letters are directions.
pub(super) const DIRECTIONS: Words = "\
    sh|hs|dc|cd|drcr|crdr|soll|haben|debit|credit|direction|sign|af|bij|sens|sentido|signo|\
    vorzeichen|richtung|segno|richting|dr|cr|dt|ct";

/// Headers of states, alone or beside the thing in that state.
pub(super) const STATES: Words = "state|statut|estado|etat|stato|zustand|toestand";
pub(super) const KINDS: Words = "type|kind|typ|art|tipo|event|belegart|vorgang|soort";
pub(super) const THINGS: Words = "\
    order|payment|financial|transaction|booking|posting|entry|commande|paiement|operation|\
    pedido|pago|operacion|ordine|pagamento|operazione|de|del|du|della|zahlung|buchung|bestellung";
