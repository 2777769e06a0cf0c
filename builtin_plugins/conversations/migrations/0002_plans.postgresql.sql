-- One plan serves every conversation: what belongs to one of them, or to a person, is to be found by the index that
-- names it, however few there are.
ALTER TABLE conversations ALTER COLUMN owner_id SET (n_distinct = -0.05);

ALTER TABLE conversation_messages ALTER COLUMN conversation_id SET (n_distinct = -0.05);

ALTER TABLE conversation_grants ALTER COLUMN principal_id SET (n_distinct = -0.05);
