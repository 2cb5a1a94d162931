-- By a migration of its own: starts that were under way when the one before took its locks go on with the former function.
DROP FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text, uuid, boolean, text, text, jsonb, integer, integer, text, jsonb);
