-- The request log: one row per call, partitioned by day so that retention is DROP, not DELETE. Prisma has no word for
-- partitions; the statements that write and read it are typed SQL (domain/logs).
CREATE TABLE "request_logs" (
  "id" BIGINT GENERATED ALWAYS AS IDENTITY,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "request_id" TEXT NOT NULL,
  -- 1 top-up, 2 consume, 3 manage, 4 system, 5 failed call
  "type" SMALLINT NOT NULL,
  "user_id" INTEGER NOT NULL,
  "username" TEXT NOT NULL DEFAULT '',
  "token_id" INTEGER NOT NULL DEFAULT 0,
  "token_name" TEXT NOT NULL DEFAULT '',
  "channel_id" INTEGER NOT NULL DEFAULT 0,
  "group" TEXT NOT NULL DEFAULT '',
  "backup_group" BOOLEAN NOT NULL DEFAULT FALSE,
  -- The billed name, and what was sent upstream.
  "model_name" TEXT NOT NULL DEFAULT '',
  "upstream_model" TEXT NOT NULL DEFAULT '',
  "endpoint" TEXT NOT NULL DEFAULT '',
  "is_stream" BOOLEAN NOT NULL DEFAULT FALSE,
  -- complete | client-left | upstream-died | failed
  "outcome" TEXT NOT NULL DEFAULT 'complete',
  "status" SMALLINT NOT NULL DEFAULT 200,
  "error_code" TEXT NOT NULL DEFAULT '',
  "content" TEXT NOT NULL DEFAULT '',
  "prompt_tokens" BIGINT NOT NULL DEFAULT 0,
  "completion_tokens" BIGINT NOT NULL DEFAULT 0,
  "quota" BIGINT NOT NULL DEFAULT 0,
  "estimated" BOOLEAN NOT NULL DEFAULT FALSE,
  -- Milliseconds.
  "request_time" INTEGER NOT NULL DEFAULT 0,
  "first_byte_time" INTEGER NOT NULL DEFAULT 0,
  "source_ip" TEXT NOT NULL DEFAULT '',
  "price_version_id" INTEGER NOT NULL DEFAULT 0,
  -- Usage by kind, ratios, rounding: all that `explain` and `replay` need.
  "bill" JSONB,
  -- [{channel_id, channel, key, status, kind, ms}]: why this channel.
  "attempts" JSONB,
  PRIMARY KEY ("created_at", "id")
) PARTITION BY RANGE ("created_at");

CREATE INDEX "request_logs_user_id_idx" ON "request_logs" ("user_id", "created_at" DESC, "id" DESC);
CREATE INDEX "request_logs_request_id_idx" ON "request_logs" ("request_id");
CREATE INDEX "request_logs_channel_id_idx" ON "request_logs" ("channel_id", "created_at" DESC);
CREATE INDEX "request_logs_model_name_idx" ON "request_logs" ("model_name", "created_at" DESC);
CREATE INDEX "request_logs_token_id_idx" ON "request_logs" ("token_id", "created_at" DESC);

-- Rows never fail to find a home, even if the partition job did not run.
CREATE TABLE "request_logs_default" PARTITION OF "request_logs" DEFAULT;

-- Bodies of calls, kept only where a channel or token asks for it.
CREATE TABLE "request_bodies" (
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "request_id" TEXT NOT NULL,
  "request" TEXT NOT NULL DEFAULT '',
  "response" TEXT NOT NULL DEFAULT '',
  PRIMARY KEY ("created_at", "request_id")
) PARTITION BY RANGE ("created_at");

CREATE TABLE "request_bodies_default" PARTITION OF "request_bodies" DEFAULT;
