"""AdaBoost: members that learn most from the rows that earlier members had wrong."""
