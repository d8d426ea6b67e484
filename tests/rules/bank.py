"""Kind `bank`."""
