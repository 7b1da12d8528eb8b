-- The columns of a path depend on one another: a token belongs to one user. Without this, the planner expects ten times
-- as many groups and sorts a month of rows on disk.
CREATE STATISTICS "usage_hours_paths" (ndistinct) ON "user_id", "token_id", "group", "model", "channel_id" FROM "usage_hours";

-- It reads a sample of the rows, so its time does not depend on their number.
ANALYZE "usage_hours";
