{{ staged('deposits') }}
