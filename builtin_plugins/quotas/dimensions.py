"""The dimensions of all that keep something or run jobs: no single plugin of them owns the name."""

from guildhall_sdk import QuotaDimension

JOBS = QuotaDimension("jobs.concurrency", "Jobs that run at the same time", "concurrency")
STORAGE = QuotaDimension("storage.bytes", "Bytes kept in notes, documents and files", "stock")
DIMENSIONS = (JOBS, STORAGE)
