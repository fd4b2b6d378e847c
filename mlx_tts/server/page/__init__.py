"""The page at `/`: its files (in ../web), and what they ask for next to speech. Read routes first."""
