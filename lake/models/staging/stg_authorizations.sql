{{ staged('authorizations') }}
