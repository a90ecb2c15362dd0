"""Decision stumps, voter matrices, and the sources of a round's candidates."""
