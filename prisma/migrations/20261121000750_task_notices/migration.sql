-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "notify_at" TIMESTAMPTZ(3),
ADD COLUMN     "notify_count" SMALLINT NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "tasks_notify_at_idx" ON "tasks"("notify_at");
