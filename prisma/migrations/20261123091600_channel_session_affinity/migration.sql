ALTER TABLE "channels" ADD COLUMN "session_affinity" BOOLEAN NOT NULL DEFAULT true;
