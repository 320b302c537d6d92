"""The report: summarised to data first (`summary`, `cutoffs`), then shown as HTML, Markdown, text and JSON."""
