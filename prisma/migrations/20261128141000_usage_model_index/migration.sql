-- No screen reads the hours of a model here: closed ones are in "usage_totals", the last two are found by time.
DROP INDEX "usage_hours_model_hour_idx";
