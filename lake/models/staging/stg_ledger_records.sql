{{ staged('ledger_records') }}
