-- Channel and model together are a key too; everything is summed again, which the next run of the job does.
-- AlterTable
ALTER TABLE "usage_totals" ALTER COLUMN "key" SET DATA TYPE VARCHAR(180);
TRUNCATE "usage_totals", "usage_progress";
