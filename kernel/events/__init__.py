"""Events: recorded with what makes them happen, and delivered to those who subscribed as jobs."""
