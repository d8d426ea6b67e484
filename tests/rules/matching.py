"""Kind `matching`."""
