"""Hold the state of a browser session, and draw every control that changes it.

Flows in: widgets, parameters of the URL, options of the command line.  Flows out: the view and the log of the session.
Rules kept here: see ``state``, which holds the view; the other modules draw the controls that change it.
Not here: loading (``dashboard/logs.py``), what a page shows (``app_pages``).

``state`` the view of a session; ``run`` the begin and the end of a run, and the URL; ``current_log`` the log;
``fields`` the values of controls; ``policy``, ``filters``, ``documents``, ``choices``, ``trust`` and ``files`` the
controls; ``folding`` parts of a page that are closed at first.
"""
