-- Operators can turn quotes off for a group.
ALTER TABLE "user_groups" ADD COLUMN "quotes" BOOLEAN NOT NULL DEFAULT true;
