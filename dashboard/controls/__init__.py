"""The state of a browser session and every control that changes it; every widget key and URL parameter is named
here.

Flows in: widgets, URL parameters, options of the command line.  Flows out: validated policies, the loaded log,
choices.
Rules kept here: see ``state``, which holds the values; the other modules draw the controls that change them.
Not here: loading (``session.py``), what a page shows.

``state`` what a session holds, and its URL; ``policy`` the policy's fields, presets and files; ``files`` uploads
and mapping; ``choices`` which verdicts and which finding are shown.
"""
