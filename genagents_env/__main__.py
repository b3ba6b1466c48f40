"""`python -m genagents_env` is the `genagents` command."""

from genagents_env.cli import main

if __name__ == "__main__":
    main()
