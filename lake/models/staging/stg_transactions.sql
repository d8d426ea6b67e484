{{ staged('transactions') }}
