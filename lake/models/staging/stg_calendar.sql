{{ staged('calendar') }}
