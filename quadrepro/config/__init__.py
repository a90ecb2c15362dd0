"""From a YAML file to the cells of an experiment."""
