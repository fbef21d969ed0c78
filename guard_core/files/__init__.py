"""Open files: decoded bytes, cut into lines, with a digest and within bounds.  Begin with ``input_file.open_input``."""
