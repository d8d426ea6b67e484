{{ staged('bank_transfers') }}
