-- The command-line device that a token was issued to by device sign-in.
ALTER TABLE "tokens" ADD COLUMN "device_name" VARCHAR(64);
