{{ staged('terminals') }}
