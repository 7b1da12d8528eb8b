-- CreateTable
CREATE TABLE "notices" (
    "id" BIGSERIAL NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "event" VARCHAR(32) NOT NULL,
    "topic" VARCHAR(160) NOT NULL,
    "facts" JSONB NOT NULL DEFAULT '{}',
    "repeats" INTEGER NOT NULL DEFAULT 0,
    "planned_time" TIMESTAMPTZ(3),

    CONSTRAINT "notices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notice_deliveries" (
    "notice_id" BIGINT NOT NULL,
    "channel" VARCHAR(16) NOT NULL,
    "status" VARCHAR(8) NOT NULL DEFAULT 'pending',
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "next_try" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "error" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "notice_deliveries_pkey" PRIMARY KEY ("notice_id","channel")
);

-- CreateTable
CREATE TABLE "notice_cursors" (
    "source" VARCHAR(32) NOT NULL,
    "position" BIGINT NOT NULL,

    CONSTRAINT "notice_cursors_pkey" PRIMARY KEY ("source")
);

-- CreateTable
CREATE TABLE "balance_reminders" (
    "user_id" INTEGER NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "balance_reminders_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "notices_event_topic_created_time_idx" ON "notices"("event", "topic", "created_time");

-- CreateIndex
CREATE INDEX "notices_planned_time_idx" ON "notices"("planned_time");

-- CreateIndex
CREATE INDEX "notice_deliveries_status_next_try_idx" ON "notice_deliveries"("status", "next_try");

-- AddForeignKey
ALTER TABLE "notice_deliveries" ADD CONSTRAINT "notice_deliveries_notice_id_fkey" FOREIGN KEY ("notice_id") REFERENCES "notices"("id") ON DELETE CASCADE ON UPDATE CASCADE;
