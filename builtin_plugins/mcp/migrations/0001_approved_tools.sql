-- The tools of MCP servers that an operator has approved, as they were then. The servers themselves stand in a
-- file of the operator's, and belong to no company.
CREATE TABLE mcp_approved_tools (
    server $ID NOT NULL,
    original $ID NOT NULL,
    name $ID NOT NULL UNIQUE,
    description TEXT NOT NULL,
    input_schema TEXT NOT NULL,
    digest TEXT NOT NULL,
    approved_at BIGINT NOT NULL,
    approved_by $ID NOT NULL,
    PRIMARY KEY (server, original)
);
