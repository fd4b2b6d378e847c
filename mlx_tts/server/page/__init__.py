"""The page at `/`: its files (in ../web), and what they ask for beside speech. Read routes first."""
