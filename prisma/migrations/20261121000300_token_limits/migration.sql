-- Limits of a token that hold across nodes: calls at once, and what it may spend in a day and a month (UTC). They are
-- columns of the row that every reserve of the token locks, so that they are exact under any concurrency.
ALTER TABLE "tokens"
  ADD COLUMN "open_calls" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "spent_day" DATE NOT NULL DEFAULT '1970-01-01'::date,
  ADD COLUMN "day_quota" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "spent_month" DATE NOT NULL DEFAULT '1970-01-01'::date,
  ADD COLUMN "month_quota" BIGINT NOT NULL DEFAULT 0;

ALTER TABLE "reservations" ADD COLUMN "slots" SMALLINT NOT NULL DEFAULT 0;

CREATE TABLE "price_syncs" (
    "id" SERIAL NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "url" VARCHAR(500) NOT NULL DEFAULT '',
    "mode" VARCHAR(16) NOT NULL,
    "error" TEXT NOT NULL DEFAULT '',
    "added" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "changed" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "removed" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "locked" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "price_syncs_pkey" PRIMARY KEY ("id")
);

-- Bodies are prompts and answers: encrypted, and cut at a size that the log can carry.
TRUNCATE "request_bodies";
ALTER TABLE "request_bodies"
  ALTER COLUMN "request" DROP DEFAULT,
  ALTER COLUMN "request" TYPE BYTEA USING ''::bytea,
  ALTER COLUMN "response" DROP DEFAULT,
  ALTER COLUMN "response" TYPE BYTEA USING ''::bytea,
  -- As they were, before they were cut.
  ADD COLUMN "request_bytes" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "response_bytes" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "user_id" INTEGER NOT NULL DEFAULT 0,
  -- The token itself asked for it, so its owner may read it.
  ADD COLUMN "by_token" BOOLEAN NOT NULL DEFAULT FALSE;
