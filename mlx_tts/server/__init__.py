"""HTTP, WebSocket and Wyoming requests in, speech out while it is made. Needs the extra `server`.

Read run (the process), app (the routes), then what a request passes: security, speech_body, model_pool, admission,
spoken_text (a text becomes sound), streaming (sound becomes an answer). websocket and wyoming_protocol are
the two other doors.
"""
