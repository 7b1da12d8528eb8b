-- $1 node. Records its heartbeat. Returns the database's clock in milliseconds since 1970.
INSERT INTO nodes (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET heartbeat = now()
RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS database_ms
