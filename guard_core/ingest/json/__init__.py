"""Read JSON lines and JSON documents into batches of rows."""
