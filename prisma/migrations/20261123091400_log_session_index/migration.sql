-- The calls of one session of an agent, in order. Calls without a session are not in it. On the table only, which locks
-- nobody out; days that are there get it from the job complete-indexes.
CREATE INDEX "request_logs_session_idx" ON ONLY "request_logs" (("session" ->> 'id'), "user_id", "created_at" DESC, "id" DESC)
  WHERE "session" IS NOT NULL;
