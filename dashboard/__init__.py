"""Show what the verdicts of a log say, and what they would say under another policy.

Where to start: ``python -m dashboard --demo`` (``launch.py``), then ``app.py``, the router.

The data flows one way: a page reads the view of the session (``controls``), asks ``views`` for rows and numbers, has
``charts`` draw them, and puts them on screen.  ``views``, ``charts`` and ``text`` know no Streamlit; pages hold no
arithmetic.
"""
