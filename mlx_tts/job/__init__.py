"""What is asked of a speech, by any caller: the command line, a batch or the server.

Read in this order: settings (what may be asked), prepare (model, checked request, pieces). The pieces become sound in
narration/narrate.py, for all of them alike.
"""
