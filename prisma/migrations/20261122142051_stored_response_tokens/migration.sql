-- AlterTable
ALTER TABLE "stored_responses" ADD COLUMN     "tokens" INTEGER NOT NULL DEFAULT 0;
