{{ staged('bank_lines') }}
