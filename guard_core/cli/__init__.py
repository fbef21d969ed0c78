"""The command line ``source-guard``: one module for each group of commands."""
