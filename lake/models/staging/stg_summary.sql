{{ staged('summary') }}
