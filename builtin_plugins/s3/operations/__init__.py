"""What S3 can be asked for, one function for each operation; `table` finds the one that is meant."""
