"""The client without asyncio; most of it is made from the other half."""
