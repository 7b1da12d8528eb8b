-- Whole weeks, for who used most in a month or a year: seven times fewer rows of every user.
INSERT INTO "usage_totals"
SELECT u."kind", 'week', date_bin('7 days', u."starts", '1970-01-01Z'), u."key", sum(u."request_count"), sum(u."failed_count"),
  sum(u."quota"), sum(u."prompt_tokens"), sum(u."completion_tokens"), sum(u."cached_tokens"), sum(u."request_time"),
  sum(u."first_byte_time")
FROM "usage_totals" u, "usage_progress" p
WHERE u."span" = 'day' AND u."starts" < date_bin('7 days', p."closed_until", '1970-01-01Z')
GROUP BY 1, 3, 4 ORDER BY 1, 3, 4;
