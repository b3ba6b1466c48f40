"""What an agent remembers, and how it is recalled: streams, retrieval and embeddings."""
