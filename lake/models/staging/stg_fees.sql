{{ staged('fees') }}
