"""Rows and numbers about documents, anchor families and originators."""
