"""Trees written as SQL, DOT, Mermaid and HTML."""
