"""What an agent can do: the menu, the spaces, and the decoding of actions."""
