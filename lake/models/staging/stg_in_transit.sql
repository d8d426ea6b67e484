{{ staged('in_transit') }}
