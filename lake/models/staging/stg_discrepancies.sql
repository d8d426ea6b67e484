{{ staged('discrepancies') }}
