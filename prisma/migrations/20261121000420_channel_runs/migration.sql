-- AlterTable
ALTER TABLE "channels" ADD COLUMN     "balance_currency" VARCHAR(3) NOT NULL DEFAULT 'USD';

-- CreateTable
CREATE TABLE "channel_runs" (
    "id" SERIAL NOT NULL,
    "kind" VARCHAR(16) NOT NULL,
    "status" VARCHAR(16) NOT NULL DEFAULT 'running',
    "user_id" INTEGER,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_time" TIMESTAMPTZ(3),
    "beat_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "channel_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "channel_run_items" (
    "run_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "model" VARCHAR(160) NOT NULL DEFAULT '',
    "outcome" VARCHAR(16) NOT NULL DEFAULT 'waiting',
    "duration_ms" INTEGER NOT NULL DEFAULT 0,
    "message" TEXT NOT NULL DEFAULT '',
    "finished" INTEGER,

    CONSTRAINT "channel_run_items_pkey" PRIMARY KEY ("run_id","position")
);

-- CreateIndex
CREATE INDEX "channel_run_items_run_id_finished_idx" ON "channel_run_items"("run_id", "finished");

-- AddForeignKey
ALTER TABLE "channel_run_items" ADD CONSTRAINT "channel_run_items_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "channel_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
