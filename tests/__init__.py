"""The tests: a package, so that no other package called `tests` takes its place."""
