-- Rows that are negative already stay until an administrator corrects them; they are not used.
ALTER TABLE "prices" ADD CONSTRAINT "prices_not_negative" CHECK ("input" >= 0 AND "output" >= 0) NOT VALID;
ALTER TABLE "price_extras" ADD CONSTRAINT "price_extras_not_negative" CHECK ("value" >= 0) NOT VALID;
