"""Values of requests, jobs, tools and preferences against the schemas that declare them."""
