{{ staged('settled_transfers') }}
