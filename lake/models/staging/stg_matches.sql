{{ staged('matches') }}
