ALTER TABLE "channels" ADD COLUMN "cache_marks" BOOLEAN NOT NULL DEFAULT true;
ALTER TABLE "user_groups" ADD COLUMN "cache_marks" BOOLEAN NOT NULL DEFAULT true;
