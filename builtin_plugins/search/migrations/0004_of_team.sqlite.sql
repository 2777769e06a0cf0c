-- What a company's team has in the index, when it goes to another team.
CREATE INDEX search_documents_of_team ON search_documents (org_id, team_id);
