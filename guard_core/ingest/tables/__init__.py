"""Read tables, CSV and Parquet, into batches of rows."""
