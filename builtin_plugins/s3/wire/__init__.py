"""The S3 protocol as it stands on the wire: no database, no server, no clock of its own."""
