-- AlterTable
ALTER TABLE "channel_keys" ADD COLUMN     "reference" VARCHAR(500);
