"""Say what one record means: member names, values, and class words."""
