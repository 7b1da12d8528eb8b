-- CreateTable
CREATE TABLE "inbox_entries" (
    "id" BIGSERIAL NOT NULL,
    "user_id" INTEGER NOT NULL DEFAULT 0,
    "event" VARCHAR(32) NOT NULL,
    "topic" VARCHAR(160) NOT NULL,
    "day" DATE NOT NULL,
    "facts" JSONB NOT NULL DEFAULT '{}',
    "reason" TEXT NOT NULL DEFAULT '',
    "reason_facts" JSONB NOT NULL DEFAULT '[]',
    "count" INTEGER NOT NULL DEFAULT 1,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inbox_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inbox_reads" (
    "user_id" INTEGER NOT NULL,
    "entry_id" BIGINT NOT NULL,
    "read_time" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbox_reads_pkey" PRIMARY KEY ("user_id","entry_id")
);

-- CreateTable
CREATE TABLE "inbox_marks" (
    "user_id" INTEGER NOT NULL,
    "read_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbox_marks_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "inbox_entries_user_id_last_time_idx" ON "inbox_entries"("user_id", "last_time");

-- CreateIndex
CREATE INDEX "inbox_entries_last_time_idx" ON "inbox_entries"("last_time");

-- CreateIndex
CREATE UNIQUE INDEX "inbox_entries_user_id_event_topic_day_key" ON "inbox_entries"("user_id", "event", "topic", "day");

-- CreateIndex
CREATE INDEX "inbox_reads_entry_id_idx" ON "inbox_reads"("entry_id");

-- AddForeignKey
ALTER TABLE "inbox_reads" ADD CONSTRAINT "inbox_reads_entry_id_fkey" FOREIGN KEY ("entry_id") REFERENCES "inbox_entries"("id") ON DELETE CASCADE ON UPDATE CASCADE;
