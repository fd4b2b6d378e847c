"""What ElevenLabs' clients ask for: their paths, fields and sockets -> our jobs. No other module knows their names."""
