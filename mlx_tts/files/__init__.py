"""Files that come in or go out. reading: small files, checked; writing: outputs, whole or not there; claims."""
