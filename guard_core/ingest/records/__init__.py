"""Read single records: names of members, values, and JSON text."""
