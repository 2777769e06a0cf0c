-- Until when somebody puts the parts of an upload together; what is past is nobody's.
ALTER TABLE s3_uploads ADD COLUMN assembling_until BIGINT NOT NULL DEFAULT 0;
