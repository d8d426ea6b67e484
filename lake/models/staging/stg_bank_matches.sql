{{ staged('bank_matches') }}
