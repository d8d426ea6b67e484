{{ staged('merchants') }}
