-- What the calls of an agent's session with a budget have reserved and spent. Other calls do not use it.
CREATE TABLE "session_budgets" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "session" VARCHAR(64) NOT NULL,
    "reserved" BIGINT NOT NULL DEFAULT 0,
    "spent" BIGINT NOT NULL DEFAULT 0,
    "used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_budgets_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "session_budgets_user_id_session_key" ON "session_budgets"("user_id", "session");
CREATE INDEX "session_budgets_used_at_idx" ON "session_budgets"("used_at");
ALTER TABLE "reservations" ADD COLUMN "session_id" INTEGER, ADD COLUMN "session_limit" BIGINT;
