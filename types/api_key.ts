import { z } from 'zod';
import { requestLimits } from './limits/requests.ts';

const MAX_NAME_LENGTH = requestLimits.api_key_name_characters.value;
const NAME_RULE = `must have 1 to ${MAX_NAME_LENGTH} characters`;

/** The body of `POST /apikey/create`. */
export const createApiKeyParamsSchema = z.strictObject({
  /** The name that the owner gives to the key. */
  name: z.string().min(1, NAME_RULE).max(MAX_NAME_LENGTH, NAME_RULE),
});

/** The body of `POST /apikey/delete`. */
export const deleteApiKeyParamsSchema = z.strictObject({
  /** The id of the key. */
  key_hash: z.uuid('must be the key_hash of an API key'),
});

/** A new API key, as returned by `rpc('create_api_key')`. */
export interface NewApiKey {
  id: string;
  user_id: string;
  name: string;
  /** The first characters of the key. */
  prefix: string;
  created_at: string;
  /** The key. No later answer contains it. */
  key: string;
}

/** A new API key, as returned by `POST /apikey/create`. */
export interface CreateApiKeyResult {
  /** ISO 8601. */
  created_at: string;
  /** The id of the key. In spite of the name it is no hash. */
  key_hash: string;
  name: string;
  /** The first characters of the key, so that its owner recognises it. */
  trimmed_key: string;
  user_id: string;
  /** The key. No later answer contains it. */
  full_key: string;
}

/** The answer of `GET /apikey/info`. */
export interface ApiKeyInfo {
  user_id: string;
}
