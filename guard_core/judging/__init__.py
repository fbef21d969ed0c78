"""Judge retrievals: the rule for one list, and the same rule over the columns of a whole log."""
