"""Tables and figures of an experiment, as Markdown, LaTeX and text."""
