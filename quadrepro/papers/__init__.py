"""Papers as folders: printed tables, claims, audit."""
