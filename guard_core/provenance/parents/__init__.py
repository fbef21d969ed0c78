"""Follow documents to their parents: the graph, and what it proves of class and depth."""
