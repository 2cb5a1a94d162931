import { z } from 'zod';

/** The body of `POST /apikey/create`. */
export const createApiKeyParamsSchema = z.strictObject({
  /** The name that its owner gives it. */
  name: z.string().min(1, 'must have 1 to 100 characters').max(100, 'must have 1 to 100 characters'),
});

/** The body of `POST /apikey/delete`. */
export const deleteApiKeyParamsSchema = z.strictObject({
  /** The id of the key. */
  key_hash: z.uuid('must be the key_hash of an API key'),
});

/** A new API key, as `rpc('create_api_key')` answers. */
export interface NewApiKey {
  id: string;
  user_id: string;
  name: string;
  /** The first characters of the key. */
  prefix: string;
  created_at: string;
  /** The key. No later answer shows it again. */
  key: string;
}

/** A new API key, as `POST /apikey/create` answers: the members of the reference. */
export interface CreateApiKeyResult {
  /** ISO 8601. */
  created_at: string;
  /** The id of the key: it names the key, and is no hash. */
  key_hash: string;
  name: string;
  /** The first characters of the key, by which its owner recognises it. */
  trimmed_key: string;
  user_id: string;
  /** The key. No later answer shows it again. */
  full_key: string;
}

/** The answer of `GET /apikey/info`. */
export interface ApiKeyInfo {
  user_id: string;
}
