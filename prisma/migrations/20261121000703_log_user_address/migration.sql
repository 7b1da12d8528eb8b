-- One user's calls from one address: neither of the two alone is few. On the table only, which locks nobody out; days
-- that are there get it from the job complete-indexes.
CREATE INDEX "request_logs_user_address_idx" ON ONLY "request_logs" ("user_id", "source_ip", "created_at" DESC, "id" DESC);
