{{ staged('batch_verdicts') }}
