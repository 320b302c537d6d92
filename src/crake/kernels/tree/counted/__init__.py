"""Trees of C4.5 grown node by node: columns of few values are counted, those of many are kept sorted."""
