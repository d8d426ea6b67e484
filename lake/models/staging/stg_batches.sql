{{ staged('batches') }}
