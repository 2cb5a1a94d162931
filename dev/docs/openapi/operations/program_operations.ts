import { TIME, USER_ID } from '../examples.ts';
import { ref } from '../schemas/json_schema.ts';
import { bodyErrors, type Operation, routeErrors, rpc, user } from './operation.ts';

const API_KEY_ID = '0b0f3a0e-3f4b-4a61-9d53-7c9d1b2e6f80';

/** The operations that a client needs first, of the Edge Functions `info` and `healthcheck`. */
const projectOperations: Operation[] = [
  {
    operationId: 'readInfo',
    method: 'get',
    path: '/info',
    tag: 'Project',
    summary: 'Returns the address and the public key of the project',
    description: 'For clients that know only the address of the Edge Functions. No credential is needed.',
    security: [[]],
    answers: {
      200: {
        description: 'The parameters for a client of Supabase.',
        schema: ref('ProjectInfo'),
        example: {
          supabase_url: 'https://ref.supabase.co',
          anon_key: 'sb_publishable_…',
          base_url: 'https://ref.supabase.co/functions/v1',
        },
      },
    },
    errors: ['request_invalid', 'internal'],
  },
  {
    operationId: 'checkHealth',
    method: 'get',
    path: '/healthcheck',
    tag: 'Project',
    summary: 'Checks whether the database answers',
    description: 'All callers share one check, whose outcome is reused for a second. No credential is needed.',
    security: [[]],
    answers: {
      200: { description: 'The database answers.', schema: ref('HealthcheckResult'), example: { success: true } },
    },
    errors: ['request_invalid', 'internal', 'service_unavailable'],
  },
];

/** The operations on API keys of the Edge Function `apikey`. */
const apiKeyOperations: Operation[] = [
  {
    operationId: 'createApiKey',
    method: 'post',
    path: '/apikey/create',
    tag: 'Credentials',
    summary: 'Makes an API key',
    description: 'Like `rpc/create_api_key`, with other names of the members. `key_hash` is the id of the key.',
    security: [['accessToken']],
    body: { schema: ref('CreateApiKeyParams'), isRequired: true, examples: { name: { name: 'ci' } } },
    answers: {
      200: {
        description: 'The key. No later answer contains it.',
        schema: ref('CreateApiKeyResult'),
        example: {
          created_at: TIME,
          key_hash: API_KEY_ID,
          name: 'ci',
          trimmed_key: 'fk_3mJx0Qa',
          user_id: USER_ID,
          full_key: 'fk_3mJx0QaT7bVw2kLr9sYdEhUo5pNfGiZcMx1Rt6WqB8A',
        },
      },
    },
    errors: [...routeErrors, ...bodyErrors, 'token_required', 'quota_exceeded'],
  },
  {
    operationId: 'deleteApiKey',
    method: 'post',
    path: '/apikey/delete',
    tag: 'Credentials',
    summary: 'Revokes an API key',
    description: 'A key of another user gets the same 404 as a missing key.',
    security: user,
    body: { schema: ref('DeleteApiKeyParams'), isRequired: true, examples: { key: { key_hash: API_KEY_ID } } },
    answers: { 200: { description: 'The key is revoked.', schema: ref('NoParams'), example: {} } },
    errors: [...routeErrors, ...bodyErrors, 'api_key_not_found'],
  },
  {
    operationId: 'readApiKeyInfo',
    method: 'get',
    path: '/apikey/info',
    tag: 'Credentials',
    summary: 'Returns the user of the caller',
    description: 'For holders of an API key or an access token.',
    security: user,
    answers: { 200: { description: 'The user.', schema: ref('ApiKeyInfo'), example: { user_id: USER_ID } } },
    errors: routeErrors,
  },
  rpc('delete_api_key', {
    tag: 'Credentials',
    summary: 'Revokes an API key',
    description: 'As `POST /apikey/delete`.',
    examples: { key: { id: API_KEY_ID } },
    answers: { 204: { description: 'The key is revoked.' } },
    errors: ['api_key_not_found'],
  }),
];

const store = { store: 'settings' };
const item = { ...store, key: 'greeting' };
const value = { S: 'hello' };

/** The parts that each route of `kv` shares with its SQL function. */
const kvCalls = [
  {
    name: 'CreateStore',
    path: 'create_store',
    sqlName: 'create_kv_store',
    summary: 'Creates a key-value store',
    description:
      'The store belongs to the calling user, and all flows of this user share it. Anonymous users cannot have stores.',
    body: { params: 'KvStoreParams', example: store },
    answer: undefined,
    errors: ['kv_store_name_invalid', 'token_required', 'kv_store_exists', 'kv_stores_limit'],
  },
  {
    name: 'DeleteStore',
    path: 'delete_store',
    sqlName: 'delete_kv_store',
    summary: 'Deletes a key-value store',
    description: 'The items of the store are also deleted.',
    body: { params: 'KvStoreParams', example: store },
    answer: undefined,
    errors: ['kv_store_not_found'],
  },
  {
    name: 'WriteItem',
    path: 'write_item',
    sqlName: 'write_kv_item',
    summary: 'Stores a value under a key',
    description: 'The answer has the replaced value, if there was one.',
    body: { params: 'WriteKvItemParams', example: { ...item, value } },
    answer: { schema: 'WriteKvItemResult', example: { old_value: value } },
    errors: ['kv_key_invalid', 'kv_value_invalid', 'kv_store_not_found', 'kv_size_limit'],
  },
  {
    name: 'ReadItem',
    path: 'read_item',
    sqlName: 'read_kv_item',
    summary: 'Reads the value under a key',
    description: 'To read many items at once, use the table `kv_items`.',
    body: { params: 'KvItemParams', example: item },
    answer: { schema: 'ReadKvItemResult', example: { value } },
    errors: ['kv_store_not_found', 'kv_item_not_found'],
  },
  {
    name: 'DeleteItem',
    path: 'delete_item',
    sqlName: 'delete_kv_item',
    summary: 'Deletes the item of a key',
    description: 'The answer has the value of the deleted item.',
    body: { params: 'KvItemParams', example: item },
    answer: { schema: 'DeleteKvItemResult', example: { old_value: value } },
    errors: ['kv_store_not_found', 'kv_item_not_found'],
  },
] as const;

const kvOperations: Operation[] = kvCalls.flatMap(
  ({ name, path, sqlName, summary, description, body, answer, errors }) => {
    const tag = 'Key-value stores';
    const examples = { example: body.example };
    const answered = answer && { description: 'It is done.', schema: ref(answer.schema), example: answer.example };
    const rpcAnswers: Operation['answers'] = answered === undefined
      ? { 204: { description: 'It is done.' } }
      : { 200: answered };
    return [
      {
        operationId: `kv${name}`,
        method: 'post',
        path: `/kv/${path}`,
        tag,
        summary,
        description,
        security: user,
        body: { schema: ref(body.params), isRequired: true, examples },
        answers: {
          200: answered ?? { description: 'It is done.', schema: ref('KvStoreResult'), example: { success: true } },
        },
        errors: [...routeErrors, ...bodyErrors, ...errors],
      },
      {
        ...rpc(sqlName, {
          tag,
          summary,
          description: `As \`POST /kv/${path}\`.`,
          takes: body.params,
          examples,
          answers: rpcAnswers,
          errors: [...errors],
        }),
        operationId: `rpcKv${name}`,
      },
    ];
  },
);

/** The operations of the Edge Functions `info`, `healthcheck`, `apikey` and `kv`, and of the RPCs behind them. */
export const programOperations: Operation[] = [...projectOperations, ...apiKeyOperations, ...kvOperations];
