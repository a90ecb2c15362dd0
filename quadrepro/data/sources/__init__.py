"""Where rows come from: rules, scikit-learn, OpenML, files of the web, a person's own file."""
