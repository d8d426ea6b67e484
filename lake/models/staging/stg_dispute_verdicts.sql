{{ staged('dispute_verdicts') }}
