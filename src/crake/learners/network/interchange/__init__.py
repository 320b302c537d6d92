"""Networks as files: BIF, which pgmpy, pyAgrum and bnlearn exchange, and XMLBIF, which WEKA writes."""
