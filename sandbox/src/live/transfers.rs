//! Executes commands: payments, refunds, and later actions on them. A refused command changes
//! nothing.

use super::accounts::{self, PAYMENT_METHOD, REFUND_METHOD};
use super::command::{Command, NewTransfer, Refusal, Source};
use super::{Book, Happened, Live, MAX_AMOUNT, MAX_TRANSFERS, returns};
use crate::world::World;
use crate::world::details::{Account, Details, Fate};
use crate::world::records::{PaymentLink, Transfer, TransferStatus, TransferType};

/// How often a payment can be presented again.
const MAX_PRESENTATIONS: usize = 2;

/// The result of a command.
#[derive(Clone, Debug)]
pub enum Effect {
    /// The transfer to answer with.
    Transfer(usize),
    /// The events of a clock movement.
    Days(Happened),
    /// An amount was changed; with the previous amount.
    Changed { before: i64 },
}

impl Live {
    /// Executes `command`.
    ///
    /// # Errors
    /// When the rules or the state do not allow it; nothing has changed then.
    pub fn apply(&mut self, world: &World, command: &Command) -> Result<Effect, Refusal> {
        match command {
            Command::Pay(new) => self.create(world, new, TransferType::Payment),
            Command::GiveBack(new) => self.create(world, new, TransferType::UnreferencedRefund),
            Command::ReversePayment { payment_id } => {
                let at = find_payment(self.book(world), payment_id)?;
                self.reverse(world, at)
            }
            Command::ReverseRefund { refund_id } => {
                let at = find_refund(self.book(world), refund_id)?;
                self.reverse(world, at)
            }
            Command::Refund { payment_id, amount, description } => {
                self.refund(world, payment_id, *amount, description)
            }
            Command::Represent { return_id, source } => {
                self.represent(world, return_id, source.as_ref())
            }
            Command::Close { return_id } => self.close(world, return_id),
            Command::Advance { now } => self.advance(world, *now).map(Effect::Days),
            Command::ComeBack { payment_id, code } => {
                let at = find_payment(self.book(world), payment_id)?;
                returns::come_back_today(self, world, at, *code)?;
                Ok(Effect::Transfer(at))
            }
            Command::Change(change) => {
                returns::change_amount(self, world, change).map(|before| Effect::Changed { before })
            }
        }
    }

    fn create(
        &mut self,
        world: &World,
        new: &NewTransfer,
        transfer_type: TransferType,
    ) -> Result<Effect, Refusal> {
        let book = self.book(world);
        let ((merchant, terminal), kind) = accounts::capability(book, &new.terminal)?;
        let expected = book.merchant(merchant).currency;
        if expected != new.currency {
            return Err(Refusal::WrongCurrency { expected, found: new.currency.clone() });
        }
        is_amount("order.amount", new.amount)?;
        let named = if transfer_type.is_refund() { &REFUND_METHOD } else { &PAYMENT_METHOD };
        let mut account = accounts::account(self, &new.source, kind, named)?;
        self.has_room()?;
        accounts::keep_tokens(self, new, &mut account);
        let mut transfer = self.blank(world, (merchant, terminal), transfer_type);
        transfer.order_id.clone_from(&new.order_id);
        transfer.amount = new.amount;
        set_account(&mut transfer, &account);
        transfer.details =
            Some(Box::new(Details { account: Some(account), ..new.details.clone() }));
        Ok(Effect::Transfer(self.add(world, transfer)))
    }

    fn reverse(&mut self, world: &World, at: usize) -> Result<Effect, Refusal> {
        let transfer = self.book(world).transfer(at);
        let merchant = transfer.merchant;
        if !transfer.is_open() {
            return Err(Refusal::State { because: "it is not in an open batch" });
        }
        self.change(world, at, |transfer| transfer.status = TransferStatus::Reversal);
        if let Some(open) = self.open.get_mut(&merchant) {
            open.retain(|other| *other != at);
        }
        Ok(Effect::Transfer(at))
    }

    fn refund(
        &mut self,
        world: &World,
        payment_id: &str,
        amount: i64,
        description: &str,
    ) -> Result<Effect, Refusal> {
        let book = self.book(world);
        let at = find_payment(book, payment_id)?;
        let payment = book.transfer(at);
        is_amount("amount", amount)?;
        let left = payment.amount - book.refunded(payment);
        if !payment.is_open() && !payment.is_kept() {
            return Err(Refusal::State { because: "nothing of it was collected and kept" });
        }
        if amount > left {
            return Err(Refusal::TooMuch { asked: amount, left });
        }
        if payment.is_open() {
            return self.reverse(world, at);
        }
        self.has_room()?;
        let place = (payment.merchant, payment.terminal);
        let mut refund = self.blank(world, place, TransferType::Refund);
        refund.amount = amount;
        refund.order_id.clone_from(&payment.order_id);
        refund.account_last4 = payment.account_last4;
        refund.holder = payment.holder;
        refund.payment = PaymentLink::Known(at);
        let known = payment.details.as_deref();
        refund.details = Some(Box::new(Details {
            description: Some(description.to_owned()),
            breakdown: None,
            customer: known.and_then(|details| details.customer.clone()),
            custom_fields: None,
            account: known.and_then(|details| details.account.clone()),
        }));
        let refund = self.add(world, refund);
        self.change(world, at, |payment| payment.refunds.push(refund));
        Ok(Effect::Transfer(at))
    }

    fn represent(
        &mut self,
        world: &World,
        return_id: &str,
        source: Option<&Source>,
    ) -> Result<Effect, Refusal> {
        let book = self.book(world);
        let (at, nth) = find_return(book, return_id)?;
        let payment = book.transfer(at).clone();
        let entry = &payment.returns[nth];
        if entry.closed || entry.represented {
            return Err(Refusal::State { because: "the return is closed or presented again" });
        }
        if book.presentations_before(&payment) >= MAX_PRESENTATIONS {
            return Err(Refusal::State {
                because: "the payment was presented again twice already",
            });
        }
        let kind = book.account_kind(payment.merchant);
        let kind = kind.ok_or(Refusal::NotCapable { parameter: "processingTerminalId" })?;
        let account = source
            .map(|source| accounts::account(self, source, kind, &PAYMENT_METHOD))
            .transpose()?;
        self.has_room()?;
        let place = (payment.merchant, payment.terminal);
        let mut again = self.blank(world, place, TransferType::Payment);
        again.amount = payment.amount;
        again.order_id.clone_from(&payment.order_id);
        again.account_last4 = payment.account_last4;
        again.holder = payment.holder;
        again.details.clone_from(&payment.details);
        again.represents = Some(at);
        if let Some(account) = account {
            let details = again.details.take().map(|details| *details);
            let details = details.unwrap_or_else(Details::unknown);
            again.details = Some(Box::new(Details { account: Some(account), ..details }));
        }
        if let Some(account) = again.details.as_deref().and_then(|details| details.account.clone())
        {
            set_account(&mut again, &account);
        }
        let again = self.add(world, again);
        self.change(world, at, |payment| {
            payment.returns[nth].represented = true;
            payment.representment = Some(again);
        });
        Ok(Effect::Transfer(at))
    }

    fn close(&mut self, world: &World, return_id: &str) -> Result<Effect, Refusal> {
        let book = self.book(world);
        let (at, nth) = find_return(book, return_id)?;
        let entry = &book.transfer(at).returns[nth];
        if entry.closed || entry.represented {
            return Err(Refusal::State { because: "the return is closed or presented again" });
        }
        self.change(world, at, |payment| payment.returns[nth].closed = true);
        Ok(Effect::Transfer(at))
    }

    fn has_room(&self) -> Result<(), Refusal> {
        if self.transfers.len() < MAX_TRANSFERS { Ok(()) } else { Err(Refusal::Full) }
    }

    /// A transfer that runs now, without details.
    fn blank(
        &self,
        world: &World,
        (merchant, terminal): (usize, usize),
        transfer_type: TransferType,
    ) -> Transfer {
        Transfer {
            id: self.next_id(world),
            merchant,
            terminal,
            order_id: String::new(),
            run_at: self.now,
            run_date: self.today[merchant],
            shows_time: true,
            amount: 0,
            transfer_type,
            status: TransferStatus::Ready,
            settled: None,
            settled_again: None,
            account_last4: 0,
            holder: 0,
            refunds: Vec::new(),
            returns: Vec::new(),
            representment: None,
            payment: PaymentLink::None,
            represents: None,
            return_of: None,
            is_listed: true,
            details: None,
        }
    }
}

/// Checks an amount, after the caller and the subject of the request are known, so that their
/// errors are reported first.
fn is_amount(parameter: &'static str, amount: i64) -> Result<(), Refusal> {
    if (1..=MAX_AMOUNT).contains(&amount) {
        return Ok(());
    }
    Err(Refusal::Amount { parameter, found: amount, most: MAX_AMOUNT })
}

/// Some test accounts are refused or reviewed at once.
fn set_account(transfer: &mut Transfer, account: &Account) {
    transfer.account_last4 = account.last4();
    transfer.status = match account.fate() {
        Fate::Declined => TransferStatus::Declined,
        Fate::Reviewed => TransferStatus::Admin,
        Fate::Kept | Fate::Returned(_) => TransferStatus::Ready,
    };
}

fn find_payment(book: Book<'_>, id: &str) -> Result<usize, Refusal> {
    let found = book.find(id).filter(|at| !book.transfer(*at).transfer_type.is_refund());
    found.ok_or(Refusal::NotFound { what: "payment" })
}

fn find_refund(book: Book<'_>, id: &str) -> Result<usize, Refusal> {
    let found = book.find(id).filter(|at| book.transfer(*at).transfer_type.is_refund());
    found.ok_or(Refusal::NotFound { what: "refund" })
}

/// The payment whose return has that id, and the index among its returns. The payment's own id is
/// not accepted.
fn find_return(book: Book<'_>, id: &str) -> Result<(usize, usize), Refusal> {
    let missing = Refusal::NotFound { what: "return" };
    let returned = book.find(id).ok_or_else(|| missing.clone())?;
    let at = book.transfer(returned).return_of.ok_or_else(|| missing.clone())?;
    let mut returns = book.transfer(at).returns.iter();
    let nth = returns.position(|entry| entry.transfer == returned).ok_or(missing)?;
    Ok((at, nth))
}
