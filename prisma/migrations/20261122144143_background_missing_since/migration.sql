-- AlterTable
ALTER TABLE "background_responses" ADD COLUMN     "missing_since" TIMESTAMPTZ(3);
