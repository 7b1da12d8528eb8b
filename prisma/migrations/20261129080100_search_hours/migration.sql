-- Web searches that the gateway ran, by hour. The ledger writes it for calls with searches only.
CREATE TABLE "search_hours" (
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "user_id" INTEGER NOT NULL,
    "token_id" INTEGER NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "model" VARCHAR(160) NOT NULL,
    "group" VARCHAR(50) NOT NULL,
    "search_count" BIGINT NOT NULL,
    "quota" BIGINT NOT NULL,

    CONSTRAINT "search_hours_pkey" PRIMARY KEY ("hour","user_id","token_id","channel_id","model","group")
);

-- CreateIndex
CREATE INDEX "search_hours_user_id_hour_idx" ON "search_hours"("user_id", "hour");
