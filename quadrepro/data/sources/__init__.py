"""Where rows come from: rules, scikit-learn, OpenML, files on the web, and files of the user."""
