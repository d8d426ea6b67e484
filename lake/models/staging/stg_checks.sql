{{ staged('checks') }}
