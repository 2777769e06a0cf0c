-- name: columns [part]
messages.id, messages.conversation_id, messages.org_id, messages.parent_id, messages.role, messages.state,
messages.author_id, authors.display_name AS author_name, messages.job_id, messages.job_team_id, messages.attempt, messages.said_from,
messages.model, messages.created_at, messages.size, messages.usage, messages.error,
messages.asked, messages.progress, messages.tools, messages.citations, messages.parts

-- name: message [quick]
SELECT
    -- use: columns
FROM conversation_messages AS messages JOIN published_people AS authors ON authors.id = messages.author_id
WHERE messages.id = :id AND messages.conversation_id = :conversation_id AND messages.org_id = :org_id

-- name: by_job [quick]
SELECT
    -- use: columns
FROM conversation_messages AS messages JOIN published_people AS authors ON authors.id = messages.author_id
WHERE messages.job_id = :job_id AND messages.org_id = :org_id

-- name: branch (sqlite)
-- The messages from one up to the first, that one first, at most so many.
WITH RECURSIVE branch (id, parent_id, size, depth) AS (
    SELECT messages.id, messages.parent_id, messages.size, 1 FROM conversation_messages AS messages
    WHERE messages.id = :leaf AND messages.conversation_id = :conversation_id AND messages.org_id = :org_id
    UNION ALL
    SELECT messages.id, messages.parent_id, messages.size, branch.depth + 1
    FROM branch CROSS JOIN conversation_messages AS messages
    WHERE messages.id = branch.parent_id AND messages.conversation_id = :conversation_id
        AND branch.depth < :limit
)
SELECT id, parent_id, size FROM branch ORDER BY depth

-- name: branch (postgresql)
-- LATERAL looks each message up by its id; the whole conversation would be read at each step.
WITH RECURSIVE branch (id, parent_id, size, depth) AS (
    SELECT messages.id, messages.parent_id, messages.size, 1 FROM conversation_messages AS messages
    WHERE messages.id = :leaf AND messages.conversation_id = :conversation_id AND messages.org_id = :org_id
    UNION ALL
    SELECT parent.id, parent.parent_id, parent.size, branch.depth + 1
    FROM branch
    CROSS JOIN LATERAL (
        SELECT id, parent_id, size, conversation_id FROM conversation_messages
        WHERE id = branch.parent_id OFFSET 0
    ) AS parent
    WHERE parent.conversation_id = :conversation_id AND branch.depth < :limit
)
SELECT id, parent_id, size FROM branch ORDER BY depth

-- name: newest_below
-- The end of the branch that was written last below a message.
WITH RECURSIVE below (id, depth) AS (
    SELECT messages.id, 1 FROM conversation_messages AS messages
    WHERE messages.id = :id AND messages.conversation_id = :conversation_id AND messages.org_id = :org_id
    UNION ALL
    SELECT (
        SELECT MAX(messages.id) FROM conversation_messages AS messages
        WHERE messages.conversation_id = :conversation_id AND messages.parent_id = below.id
    ), below.depth + 1
    FROM below WHERE below.id IS NOT NULL AND below.depth < 100000
)
SELECT id FROM below WHERE id IS NOT NULL ORDER BY depth DESC LIMIT 1

-- name: ids_after
SELECT id, size FROM conversation_messages
WHERE conversation_id = :conversation_id AND org_id = :org_id AND id > :after
ORDER BY id
LIMIT :limit

-- name: by_ids (sqlite)
SELECT
    -- use: columns
FROM json_each(:ids) AS given
CROSS JOIN conversation_messages AS messages
CROSS JOIN published_people AS authors
WHERE messages.id = given.value AND authors.id = messages.author_id
    AND messages.conversation_id = :conversation_id AND messages.org_id = :org_id
ORDER BY messages.id

-- name: by_ids (postgresql)
SELECT
    -- use: columns
FROM json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)) AS given (value)
CROSS JOIN LATERAL (SELECT * FROM conversation_messages WHERE id = given.value OFFSET 0) AS messages
JOIN published_people AS authors ON authors.id = messages.author_id
WHERE messages.conversation_id = :conversation_id AND messages.org_id = :org_id
ORDER BY messages.id

-- name: siblings (sqlite)
-- Of those with these parents their ids; '' stands for none.
SELECT parent_id, id FROM (
    SELECT messages.parent_id, messages.id
    FROM json_each(:parents) AS given
    CROSS JOIN conversation_messages AS messages
    WHERE messages.conversation_id = :conversation_id AND messages.parent_id = given.value
        AND messages.org_id = :org_id
    UNION ALL
    SELECT '', messages.id FROM conversation_messages AS messages
    WHERE messages.conversation_id = :conversation_id AND messages.parent_id IS NULL
        AND messages.org_id = :org_id AND CAST(:with_first AS INTEGER) = 1
)
ORDER BY id
LIMIT 2000

-- name: siblings (postgresql)
SELECT parent_id, id FROM (
    SELECT below.parent_id, below.id
    FROM json_array_elements_text(CAST(CAST(:parents AS TEXT) AS JSON)) AS given (value)
    CROSS JOIN LATERAL (
        SELECT parent_id, id, org_id FROM conversation_messages
        WHERE conversation_id = :conversation_id AND parent_id = given.value OFFSET 0
    ) AS below
    WHERE below.org_id = :org_id
    UNION ALL
    SELECT '', messages.id FROM conversation_messages AS messages
    WHERE messages.conversation_id = :conversation_id AND messages.parent_id IS NULL
        AND messages.org_id = :org_id AND CAST(:with_first AS INTEGER) = 1
) AS found
ORDER BY id
LIMIT 2000

-- name: insert_message [quick]
INSERT INTO conversation_messages (
    id, conversation_id, org_id, parent_id, role, state, author_id, job_id, job_team_id, attempt, said_from, model,
    created_at, size, usage, asked, progress, tools, citations, words, parts
)
VALUES (
    :id, :conversation_id, :org_id, CAST(:parent_id AS TEXT), :role, :state, :author_id, NULL, NULL, 0, 0,
    CAST(:model AS TEXT), :now, :size, CAST(:usage AS TEXT), :asked, '{}', :tools, :citations, :words, :parts
)

-- name: set_job [quick]
UPDATE conversation_messages
SET job_id = :job_id, job_team_id = :job_team_id, state = 'queued', attempt = 0
WHERE id = :id AND org_id = :org_id

-- name: begin [quick]
-- The attempt that holds the job takes the message; what an earlier one still says is refused from here on.
UPDATE conversation_messages
SET state = 'running', attempt = :attempt, error = NULL, said_from = (
    SELECT event_number FROM conversations WHERE conversations.id = conversation_messages.conversation_id
)
WHERE job_id = :job_id AND org_id = :org_id AND state IN ('queued', 'running') AND attempt <= :attempt
RETURNING id, conversation_id

-- name: is_held [quick]
SELECT id FROM conversation_messages
WHERE id = :id AND org_id = :org_id AND job_id = :job_id AND attempt = :attempt AND state = 'running'
FOR UPDATE -- (postgresql)

-- name: note_progress [quick]
UPDATE conversation_messages SET tools = :tools, size = :size WHERE id = :id AND org_id = :org_id

-- name: note_round [quick]
-- What was said in it is in the parts from now on.
UPDATE conversation_messages
SET progress = :progress, tools = :tools, parts = :parts, size = :size, said_from = (
    SELECT event_number FROM conversations WHERE conversations.id = conversation_messages.conversation_id
)
WHERE id = :id AND org_id = :org_id

-- name: decide [quick]
UPDATE conversation_messages SET tools = :tools WHERE id = :id AND org_id = :org_id

-- name: note_error [quick]
-- Why it is about to fail, in all that is known of it.
UPDATE conversation_messages SET error = :error WHERE id = :id AND org_id = :org_id AND state = 'running'

-- name: put_off [quick]
UPDATE conversation_messages SET state = 'queued' WHERE id = :id AND org_id = :org_id AND state = 'running'

-- name: wait [quick]
UPDATE conversation_messages SET state = 'waiting', model = CAST(:model AS TEXT), usage = CAST(:usage AS TEXT)
WHERE id = :id AND org_id = :org_id AND job_id = :job_id AND state IN ('queued', 'running')
RETURNING id

-- name: end [quick]
UPDATE conversation_messages
SET state = :state, model = COALESCE(CAST(:model AS TEXT), model), usage = COALESCE(CAST(:usage AS TEXT), usage),
    error = COALESCE(error, CAST(:error AS TEXT)), progress = COALESCE(CAST(:progress AS TEXT), progress),
    tools = :tools, citations = :citations, parts = :parts, words = :words, size = :size
WHERE id = :id AND org_id = :org_id AND state IN ('queued', 'running', 'waiting')
RETURNING id

-- name: under_way
-- Answers that are not written yet.
SELECT id, job_id, job_team_id, state FROM conversation_messages
WHERE conversation_id = :conversation_id AND org_id = :org_id AND state IN ('queued', 'running', 'waiting')
ORDER BY id
LIMIT :limit

-- name: allowed [quick]
SELECT tool FROM conversation_allowed_tools
WHERE conversation_id = :conversation_id AND user_id = :user_id AND org_id = :org_id

-- name: allow [quick]
INSERT INTO conversation_allowed_tools (conversation_id, user_id, tool, org_id)
VALUES (:conversation_id, :user_id, :tool, :org_id)
ON CONFLICT DO NOTHING

-- name: next_numbers [quick]
-- The number of the last of so many more events.
UPDATE conversations SET event_number = event_number + :many WHERE id = :id AND org_id = :org_id
RETURNING event_number

-- name: add_event [quick]
INSERT INTO conversation_events (conversation_id, number, org_id, message_id, event, created_at, data)
VALUES (:conversation_id, :number, :org_id, :message_id, :event, :now, :data)

-- name: events_after
SELECT number, message_id, event, data FROM conversation_events
WHERE conversation_id = :conversation_id AND org_id = :org_id AND number > :after
ORDER BY number
LIMIT :limit

-- name: said
SELECT events.message_id, events.data
FROM conversation_events AS events
JOIN conversation_messages AS messages
    ON messages.id = events.message_id AND events.number > messages.said_from
WHERE events.conversation_id = :conversation_id AND events.org_id = :org_id AND events.event = 'delta'
    AND events.message_id IN (
        SELECT value FROM json_each(:ids) -- (sqlite)
        SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)) -- (postgresql)
    )
ORDER BY events.number

-- name: drop_said
-- What messages that have ended said piece by piece; and whatever is old.
DELETE FROM conversation_events
WHERE conversation_id = :conversation_id AND org_id = :org_id
    AND (
        number <= :old
        OR (
            event IN ('delta', 'status') AND message_id NOT IN (
                SELECT messages.id FROM conversation_messages AS messages
                WHERE messages.conversation_id = :conversation_id AND messages.state = 'running'
            )
        )
    )
