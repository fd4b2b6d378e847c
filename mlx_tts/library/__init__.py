"""Which model, and where it is: catalog (names), selection (the default), hub and download (files), voice_store."""
