/**
 * Errors of Postgres and PostgREST that callers of /rest/v1 get, for docs/reference/errors.md. Quoted constraints are
 * those of `sql/`.
 */
export const restErrors: [code: string, status: string, when: string, remedy: string][] = [
  [
    '`42501` `permission denied for table …`',
    '401, 403',
    'The request has no credential of a user (401), or it writes a table that only the database writes (403).',
    'Sign in. Deployments are made by `rpc("deploy_flow")`, API keys by `rpc("create_api_key")`, runs by starts, key-value stores by the nodes of a flow.',
  ],
  [
    '`42501` `new row violates row-level security policy …`',
    '403',
    'The row would belong to somebody else: `user_id` is not your id, or the flow of a tag is not your flow.',
    'Leave `user_id` out, and check the id of the flow.',
  ],
  [
    '`23505` on `flow_deployments_tags_pkey`',
    '409',
    'The flow has a tag of this name.',
    'Move it: `update({deployment_id})`, or `upsert`.',
  ],
  [
    '`23505` on `flows_user_id_tool_name_idx`',
    '409',
    'Another flow of yours has this `tool_name`.',
    'Choose another name, or set the `tool_name` of the other flow to null.',
  ],
  [
    '`23505` on `wallets_user_id_public_key_key`',
    '409',
    'You have a wallet of this public key.',
    'Change it: `update`, or `POST /wallets/upsert`.',
  ],
  [
    '`23505` on `nodes_pkey` or `nodes_node_id_version_public_idx`',
    '409',
    'There is a node definition of this `node_id` and `version`: yours, or a public one.',
    'Raise `version`, or send `Prefer: resolution=merge-duplicates` to replace your own.',
  ],
  [
    '`23503` on `flow_deployments_tags_deployment_id_fkey`',
    '409',
    'A tag names a deployment that belongs to another flow than the tag, or that was deleted.',
    'Choose a row of `flow_deployments` whose `entrypoint` is the flow.',
  ],
  ['`23502`', '400', 'A column that must have a value is null or missing; the message names it.', 'Send the column.'],
  [
    '`22P02`',
    '400',
    'A value does not have the form that its column needs, such as a UUID or an integer.',
    'Correct the value.',
  ],
  ['`428C9`', '400', 'The row names an `id` that the database gives.', 'Leave `id` out.'],
  [
    '`57014`',
    '500',
    'The statement took longer than the time limit for users.',
    'Ask for fewer rows or columns: `select`, `limit`.',
  ],
  ['`PGRST204`', '400', 'The row has a column that the table does not have.', 'Leave it out.'],
  [
    '`PGRST202`, `42P01` or `PGRST205`',
    '404',
    'There is no such function or table.',
    'Check the name, and the names of arguments.',
  ],
  [
    '`PGRST116`',
    '406',
    '`single()` found several rows, or none: the row does not exist, or you may not see it.',
    'Check the filter, or use `maybeSingle()`.',
  ],
  [
    '`PGRST301`, `PGRST303`',
    '401',
    'The access token is malformed, forged or expired.',
    'Sign in again. An API key belongs in the header `x-api-key`, not in `Authorization`.',
  ],
];
