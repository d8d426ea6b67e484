{{ staged('not_evaluated') }}
