ALTER TABLE "users" ADD COLUMN "imported_username" VARCHAR(255);
CREATE INDEX "users_imported_username_idx" ON "users"("imported_username");
