-- AlterTable
ALTER TABLE "channels" ADD COLUMN     "private_encrypted" BYTEA;
