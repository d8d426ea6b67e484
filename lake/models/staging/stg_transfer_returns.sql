{{ staged('transfer_returns') }}
