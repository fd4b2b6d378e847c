"""What is written but not said: markdown and emphasis (cleaning), directives and ssml (what they ask for)."""
