SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.run_error_codes()
  RETURNS text[]
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT ARRAY['bad_config'::text,
   'connection_missing'::text,
   'connection_token_failed'::text,
   'connection_unreadable'::text,
   'connection_url_refused'::text,
   'definition_invalid'::text,
   'effect_already_done'::text,
   'expression_failed'::text,
   'input_address_unknown'::text,
   'input_cancelled'::text,
   'input_expired'::text,
   'kv_key_invalid'::text,
   'kv_size_limit'::text,
   'kv_store_exists'::text,
   'kv_store_name_invalid'::text,
   'kv_store_not_found'::text,
   'kv_stores_limit'::text,
   'kv_value_invalid'::text,
   'model_answer_invalid'::text,
   'model_call_too_long'::text,
   'node_cpu_limit'::text,
   'node_executions_limit'::text,
   'node_not_implemented'::text,
   'node_timeout'::text,
   'open_nodes_limit'::text,
   'outcome_unknown'::text,
   'output_too_large'::text,
   'project_address_unknown'::text,
   'quota_exceeded'::text,
   'run_outputs_limit'::text, 'run_size_limit'::text, 'run_time_limit'::text, 'storage_denied'::text, 'storage_not_configured'::text, 'value_missing'::text, 'worker_lost'::text]
  AS "array";
END;

CREATE OR REPLACE FUNCTION private.takes_connection (
  data jsonb
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((DATA ->> 'type'::text) = 'native'::text) THEN ((DATA ->> 'node_id'::text) = ANY (ARRAY['http_request'::text, 'ai_chat'::text]))
             ELSE private.is_described((DATA ->> 'type'::text))
         END
  AS is_described;
END;
