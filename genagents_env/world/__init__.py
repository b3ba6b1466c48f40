"""The town itself: clock, places, paths, bodies, objects, speech and the rules between them.

It knows nothing of policies, language models or reinforcement learning.
"""
