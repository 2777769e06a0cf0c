"""Pages that plugins describe as data, and the bundles that they bring."""
