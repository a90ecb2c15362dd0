"""Linear and quadratic programs: formulation, duals, status and gap."""
