"""Where rows come from: rules, packages, the web, files."""
