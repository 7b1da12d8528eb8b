-- AlterTable
ALTER TABLE "reservations" ADD COLUMN     "checkpoint" JSONB;
