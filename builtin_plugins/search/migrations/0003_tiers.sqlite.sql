-- The words of titles and those that come often carry marks now: all is taken up anew at the next start.
DROP TABLE search_words;
-- Six characters are a company's mark and the shortest beginning that can be asked for; seven, with one more mark.
CREATE VIRTUAL TABLE search_words USING fts5 (
    title, often, body, tokenize = 'ascii', columnsize = 0, prefix = '6 7'
);
DELETE FROM search_documents;
DELETE FROM search_progress;
