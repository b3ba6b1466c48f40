"""What an agent remembers, and how it comes to mind: streams, retrieval and embeddings."""
