"""The scheduler of jobs: fair between teams, fenced by leases, durable."""
