-- People are looked for by how their names begin, in whatever case. Prisma has no word for indexes of expressions.
DROP INDEX "users_email_idx";
DROP INDEX "users_display_name_idx";
CREATE INDEX "users_group_idx" ON "users"("group");
CREATE INDEX "users_lower_username_idx" ON "users" (lower("username") text_pattern_ops);
CREATE INDEX "users_lower_display_name_idx" ON "users" (lower("display_name") text_pattern_ops);
CREATE INDEX "users_lower_email_idx" ON "users" (lower("email") text_pattern_ops);
