"""Judge a live search, and repeat it once among human documents where the rule asks for that."""
