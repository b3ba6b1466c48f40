"""Language models: one client, any endpoint, a budget, a cassette and a ledger."""
