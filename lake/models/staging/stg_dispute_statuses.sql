{{ staged('dispute_statuses') }}
