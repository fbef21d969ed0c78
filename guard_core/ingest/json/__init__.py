"""Read JSON Lines and JSON documents into batches of rows."""
