-- Of all that a document's entry is made of: whoever brings the same again changes nothing.
ALTER TABLE search_documents ADD COLUMN digest TEXT;
