-- Indexes of the log that take half the space. Each replaces one that the job complete-indexes drops when the new one is
-- valid (apps/server/src/domain/logs/partition-indexes.ts). On the table only, which locks nobody out; days that are
-- there get them from the job.

-- Without the id behind the instant: calls of the same millisecond are sorted when they are read.
CREATE INDEX "request_logs_user_time_idx" ON ONLY "request_logs" ("user_id", "created_at" DESC);
CREATE INDEX "request_logs_channel_time_idx" ON ONLY "request_logs" ("channel_id", "created_at" DESC);
CREATE INDEX "request_logs_model_time_idx" ON ONLY "request_logs" ("model_name", "created_at" DESC);
CREATE INDEX "request_logs_token_time_idx" ON ONLY "request_logs" ("token_name", "created_at" DESC);
CREATE INDEX "request_logs_address_time_idx" ON ONLY "request_logs" ("source_ip", "created_at" DESC);
CREATE INDEX "request_logs_user_model_time_idx" ON ONLY "request_logs" ("user_id", "model_name", "created_at" DESC);
-- For rare pairs of values that are frequent alone. Without the instant, an entry is stored once with the list of its
-- rows. Frequent pairs are found in the order of time by the indexes above.
CREATE INDEX "request_logs_user_addresses_idx" ON ONLY "request_logs" ("user_id", "source_ip");
-- A request id is only compared as a whole, and a number grows with the rows of the table.
CREATE INDEX "request_logs_request_hash_idx" ON ONLY "request_logs" USING hash ("request_id") WITH (fillfactor = 90);
CREATE INDEX "request_logs_id_range_idx" ON ONLY "request_logs" USING brin ("id") WITH (pages_per_range = 16, autosummarize = on);
