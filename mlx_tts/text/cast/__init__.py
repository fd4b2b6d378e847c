"""Who speaks: scripts and books -> their lines with the characters that say them."""
