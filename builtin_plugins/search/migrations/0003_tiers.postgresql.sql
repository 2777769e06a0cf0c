-- Each tier has an index of its own, and a company's newest documents are found without any of them.
CREATE INDEX search_documents_title_words ON search_documents USING gin (title_words);
CREATE INDEX search_documents_often_words ON search_documents USING gin (often_words);
CREATE INDEX search_documents_newest ON search_documents (org_id, id);
