import type { WhenAbsent } from '../flow.ts';

/**
 * The native nodes that wait for the value of each of their edges, because they have effects or ask a person. The
 * importer has no node definitions, so this list repeats what they say; a test compares both.
 */
export const ACTING_NODES: ReadonlySet<string> = new Set([
  'ai_agent',
  'api_input',
  'associated_token_account',
  'create_master_edition',
  'create_metadata_account',
  'create_mint_account',
  'create_token_account',
  'das_api',
  'http_request',
  'interflow',
  'interflow_instructions',
  'kv_create_store',
  'kv_delete_store',
  'kv_write_item',
  'memo',
  'mint_token',
  'postgrest_execute_query',
  'request_airdrop',
  'sql_function',
  'storage_delete',
  'storage_upload',
  'transfer_sol',
  'transfer_token',
]);

/**
 * The member that lets a node with effects run without the value of an optional input, as flows of the newer editor are
 * meant. Empty for all other inputs. After a failure the node does not run.
 */
export const whenAbsentThere = (nodeId: string, isRequired: boolean): { when_absent?: WhenAbsent } =>
  !isRequired && ACTING_NODES.has(nodeId) ? { when_absent: 'run_unless_failed' } : {};
