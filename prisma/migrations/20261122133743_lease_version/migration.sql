-- AlterTable
ALTER TABLE "reservations" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 0;
