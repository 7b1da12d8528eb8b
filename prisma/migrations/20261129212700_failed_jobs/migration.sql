-- AlterTable
ALTER TABLE "job_schedules" ADD COLUMN     "failed_at" TIMESTAMPTZ(3);
