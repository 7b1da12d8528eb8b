-- Allocates and frees about 1 MB of disk. It fails on a full disk, where a small write may still succeed.
CREATE TEMP TABLE space_probe ON COMMIT DROP AS
SELECT gen_random_uuid() AS filling FROM generate_series(1, 20000)
