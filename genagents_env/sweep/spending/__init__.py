"""One budget shared by all workers of a sweep: its server, clients, protocol and journal."""
