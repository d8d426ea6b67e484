{{ staged('deposit_verdicts') }}
