"""Kind `captures`: the tolerance over the authorized amount, reported on one date alone; and the
answers of an issuer that are a refusal, that decide nothing, and that are not published.
"""

APPROVALS = {"approved", "approveVip", "approveWithId", "honorWithId", "successful"}
APPROVALS |= {"partialApproval", "partialAuthorization", "noReasonToDecline"}
# They decide nothing, or a voice or stand-in approval may follow.
TELL_NOTHING = set(
    """unknown forceStip noFinancialImpact noActionTaken contactCardIssuer pleaseCallIssuer
    forwardToIssuer referToCardIssuer referToCardIssuerSpecialCondition issuerNotAvailable
    issuerTimeout issuerUnavailable destinationCannotBeFoundForRouting unableToGoOnline
    systemMalfunction""".split()
)
REFUSALS = """activityCountLimitExceeded alreadyReversed cannotVerifyPin cardAuthenticationFailed
    cardTypeVerificationError cashRequestExceedsIssuerLimit cashServiceNotAvailable
    cidVerificationError cryptographicFailure dailyThresholdExceeded declineCvv2Failure deny
    denyAccountCanceled denyClosedMerchant denyNewCardIssued denyPickUpCard doNotHonor
    duplicateTransmissionDetected error exceedsWithdrawalAmountLimit expiredCard
    fileTemporarilyUnavailable formatError functionNotSupported incorrectCvv incorrectPin
    ineligibleForResubmission insufficientFunds invalidAccount invalidAccountNumber invalidAmount
    invalidAuthorizationLifeCycle invalidBillerInformation invalidCardSecurityCode
    invalidCurrencyCode invalidMerchant invalidResponse invalidTransaction noCardRecord
    noCheckingAccount noCreditAccount noSavingsAccount noSuchIssuer pickUpCard
    pickUpCardSpecialCondition pinChangeRequestDeclined pinCryptographicErrorFound
    pinEntryTriesExceeded pinNotChanged reenterTransaction restrictedCard reversal
    reversalDataInconsistent revokeAllAuthorizationsOrder scheduledTransactionstoppedByCardholder
    securityViolation surchargeAmountNotPermitted suspectFraud
    transactionAmountExceedsApprovalAmount transactionCannotBeCompleted
    transactionNotAllowedAtMerchant transactionNotAllowedAtTerminal transactionNotPermitted
    transactionNotPermittedToCardholder unableToLocateRecordInFile unableToVerifyPin unacceptablePin
    unsafePin""".split()


def is_refusal(day, response):
    return response in REFUSALS


def exceeds(day, captured, authorized):
    percent = day.terms.get("capture_tolerance", 0)
    return bool(authorized) and captured * 100 > authorized * (100 + percent)


def items(maker, draw, merchant):
    """Tips, and answers of every kind."""
    world = maker.world
    if "capture_tolerance" not in world.terms:
        percent = draw.choice([0, 10, 20])
        for terms in [world.terms, *(world.later_terms or ())[1:]]:
            terms["capture_tolerance"] = percent
    answers = [*sorted(TELL_NOTHING), *REFUSALS]
    for one in world.authorizations:
        if one.merchant != merchant.id:
            continue
        if draw.random() < 0.15:
            one.response = draw.choice(answers)
        if one.transaction and draw.random() < 0.15:
            percent = world.terms["capture_tolerance"]
            # At the boundary, beside it, and far from it.
            one.authorized = max(0, one.amount * 100 // (100 + percent) + draw.choice([-1, 0, 0, 1]))
    as_one(world, merchant)


def as_one(world, merchant):
    """An authorization has one answer and one authorized amount, in all its parts."""
    first = {}
    for one in world.authorizations:
        if one.merchant == merchant.id:
            whole = first.setdefault(one.id, one)
            one.response, one.authorized = whole.response, whole.authorized
