"""Every measure as a hand calculation: its counts put into its formula, and its interval worked out."""
