"""Makes the clients: the route table as operations and types, and each language's words for them."""
