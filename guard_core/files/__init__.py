"""Open one file once: its decoded bytes, cut into lines, with its digest and its bounds."""
