-- Closed usage is also kept by four hours, and by the day for every split: most local days are made of six parts, and
-- an analytics screen reads those instead of 24 hours.
INSERT INTO "usage_totals"
SELECT u."kind", 'part', date_bin('4 hours', u."starts", '2000-01-01Z'), u."key", sum(u."request_count"), sum(u."failed_count"),
  sum(u."quota"), sum(u."prompt_tokens"), sum(u."completion_tokens"), sum(u."cached_tokens"), sum(u."request_time"),
  sum(u."first_byte_time")
FROM "usage_totals" u, "usage_progress" p
WHERE u."span" = 'hour' AND u."starts" < date_bin('4 hours', p."closed_until", '2000-01-01Z')
GROUP BY 1, 3, 4 ORDER BY 1, 3, 4;

INSERT INTO "usage_totals"
SELECT u."kind", 'day', date_trunc('day', u."starts", 'UTC'), u."key", sum(u."request_count"), sum(u."failed_count"),
  sum(u."quota"), sum(u."prompt_tokens"), sum(u."completion_tokens"), sum(u."cached_tokens"), sum(u."request_time"),
  sum(u."first_byte_time")
FROM "usage_totals" u, "usage_progress" p
WHERE u."span" = 'hour' AND u."kind" <> 'user' AND u."starts" < date_trunc('day', p."closed_until", 'UTC')
GROUP BY 1, 3, 4 ORDER BY 1, 3, 4;
