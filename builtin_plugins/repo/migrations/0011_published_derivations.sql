-- Which versions were made from others, for plugins that leave these out.
CREATE VIEW published_derivations AS
SELECT
    versions.id AS version_id, derivations.derived_id AS object_id, derivations.org_id,
    derivations.source_id, derivations.run_id, derivations.step
FROM derivations JOIN object_versions AS versions
    ON versions.object_id = derivations.derived_id AND versions.number = derivations.derived_number;
