-- What the analytics screen reads: usage of the whole site by one dimension at a time, so that a year of it is small.
-- CreateTable
CREATE TABLE "usage_totals" (
    "kind" VARCHAR(8) NOT NULL,
    "span" VARCHAR(4) NOT NULL,
    "starts" TIMESTAMPTZ(0) NOT NULL,
    "key" VARCHAR(160) NOT NULL,
    "request_count" BIGINT NOT NULL DEFAULT 0,
    "failed_count" BIGINT NOT NULL DEFAULT 0,
    "quota" BIGINT NOT NULL DEFAULT 0,
    "prompt_tokens" BIGINT NOT NULL DEFAULT 0,
    "completion_tokens" BIGINT NOT NULL DEFAULT 0,
    "cached_tokens" BIGINT NOT NULL DEFAULT 0,
    "request_time" BIGINT NOT NULL DEFAULT 0,
    "first_byte_time" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "usage_totals_pkey" PRIMARY KEY ("kind","span","starts","key")
);

-- CreateTable
CREATE TABLE "usage_progress" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "closed_until" TIMESTAMPTZ(0) NOT NULL,

    CONSTRAINT "usage_progress_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "statement_months" (
    "month" DATE NOT NULL,
    "closed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "users" INTEGER NOT NULL,
    "quota" BIGINT NOT NULL,

    CONSTRAINT "statement_months_pkey" PRIMARY KEY ("month")
);

-- CreateIndex
CREATE INDEX "usage_totals_kind_key_span_starts_idx" ON "usage_totals"("kind", "key", "span", "starts");

-- CreateIndex
CREATE INDEX "statements_user_id_month_idx" ON "statements"("user_id", "month");

-- CreateIndex
CREATE INDEX "ledger_entries_created_time_idx" ON "ledger_entries"("created_time");

-- CreateIndex
CREATE INDEX "users_created_time_idx" ON "users"("created_time");

-- The request log is searched by these, newest first; with the id behind the instant a page is read in order and the
-- reading stops when it is full.
DROP INDEX "request_logs_token_id_idx";
DROP INDEX "request_logs_channel_id_idx";
DROP INDEX "request_logs_model_name_idx";
CREATE INDEX "request_logs_channel_id_idx" ON "request_logs" ("channel_id", "created_at" DESC, "id" DESC);
CREATE INDEX "request_logs_model_name_idx" ON "request_logs" ("model_name", "created_at" DESC, "id" DESC);
CREATE INDEX "request_logs_token_name_idx" ON "request_logs" ("token_name", "created_at" DESC, "id" DESC);
CREATE INDEX "request_logs_source_ip_idx" ON "request_logs" ("source_ip", "created_at" DESC, "id" DESC);
-- A row is opened by its id, which says nothing about its day.
CREATE INDEX "request_logs_id_idx" ON "request_logs" ("id");
-- Everything that is not a charge is rare.
CREATE INDEX "request_logs_type_idx" ON "request_logs" ("type", "created_at" DESC, "id" DESC) WHERE "type" <> 2;

-- Rows that every call writes: room on the page keeps an update off the indexes, and dead versions go early.
ALTER TABLE "users" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE "tokens" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE "channels" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE "usage_hours" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- Every row of these dies young: vacuum by number, not by share.
ALTER TABLE "reservations" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "nodes" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100);
