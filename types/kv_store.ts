import { z } from 'zod';
import type { Value } from './values/value.ts';
import { valueSchema } from './values/value_schema.ts';

/** The body of `POST /kv/create_store` and `POST /kv/delete_store`. */
export const kvStoreParamsSchema = z.strictObject({ store: z.string() });

/** The body of `POST /kv/read_item` and `POST /kv/delete_item`. */
export const kvItemParamsSchema = z.strictObject({ store: z.string(), key: z.string() });

/** The body of `POST /kv/write_item`. */
export const writeKvItemParamsSchema = z.strictObject({
  store: z.string(),
  key: z.string(),
  /** A value with its tag. */
  value: valueSchema,
});

/** The answer of `POST /kv/create_store` and `POST /kv/delete_store`. */
export interface KvStoreResult {
  success: true;
}

/** The answer of `POST /kv/write_item`; without `old_value` if the item is new. */
export interface WriteKvItemResult {
  old_value?: Value;
}

/** The answer of `POST /kv/read_item`. */
export interface ReadKvItemResult {
  value: Value;
}

/** The answer of `POST /kv/delete_item`. */
export interface DeleteKvItemResult {
  old_value: Value;
}
