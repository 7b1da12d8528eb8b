ALTER TABLE "users" ADD COLUMN "demoted_by_admin" BOOLEAN NOT NULL DEFAULT false;
