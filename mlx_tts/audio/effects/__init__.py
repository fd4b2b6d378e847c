"""What is done to speech behind the model, while it is made: speed, then loudness and a limit on its peaks."""
