"""The pages: each reads its state, asks ``views`` for rows, has ``charts`` draw them, and puts them on screen.

``panel`` holds the frames that all pages share; ``overview``, ``whatif`` and ``load`` are scripts that the router runs.
"""
