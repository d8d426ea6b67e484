{{ staged('disputes') }}
