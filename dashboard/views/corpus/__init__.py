"""Count and list what the screens show of documents, anchor families and originators."""
