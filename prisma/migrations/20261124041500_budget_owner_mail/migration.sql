ALTER TABLE "budget_notices" ADD COLUMN "mail_due" BOOLEAN NOT NULL DEFAULT false;
