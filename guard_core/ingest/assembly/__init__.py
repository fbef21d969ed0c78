"""Put batches of rows together into one log: retrievals, repeats, rejections, notices."""
