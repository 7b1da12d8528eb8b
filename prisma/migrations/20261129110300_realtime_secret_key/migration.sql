-- A session that a client secret opened ends with the key that made the secret.
ALTER TABLE "realtime_secrets" ADD COLUMN "made_with" BYTEA;
