"""Papers as folders: printed tables and claims."""
