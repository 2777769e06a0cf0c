"""The root: the funnel's page, and until there is a console, where to find the API."""
