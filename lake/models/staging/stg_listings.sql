{{ staged('listings') }}
