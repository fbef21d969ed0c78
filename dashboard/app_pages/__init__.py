"""Draw the pages: each reads the view, asks ``views`` for rows, has ``charts`` draw them, and puts them on screen.

``panel`` draws what all pages share; ``family``, ``quarantine`` and ``story`` draw parts of a page; each other module
is a script that the router runs.
"""
