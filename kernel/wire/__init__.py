"""From sockets to an ASGI application: Hypercorn and h11, adapted where it was measured."""
