"""Where speech goes while it is made. streams: a file, standard output, several sinks; chapters: a file for each."""
