"""The client for asyncio; the other half is made from it."""
