-- Where chains begin that were thrown away from, for whoever counts what is left.
CREATE INDEX audit_floors ON audit_checkpoints (chain, seq) WHERE kind = 'floor';
