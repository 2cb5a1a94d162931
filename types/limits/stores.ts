import type { Limits } from './limit.ts';

/** The limits of key-value stores. */
export const storeLimits = {
  kv_stores: { value: 100, unit: 'stores', meaning: 'stores of a user', beyond: '`kv_stores_limit`', inSql: true },
  kv_bytes: {
    value: 100 * 2 ** 20,
    unit: 'bytes',
    meaning: 'keys and values of all stores of a user, as text',
    beyond: '`kv_size_limit`',
    inSql: true,
  },
  kv_store_name_characters: {
    value: 120,
    unit: 'characters',
    meaning: 'name of a store: letters, digits, `_`, `-`; first a letter',
    beyond: '`kv_store_name_invalid`',
    inSql: true,
  },
  kv_key_bytes: { value: 1_024, unit: 'bytes', meaning: 'a key', beyond: '`kv_key_invalid`', inSql: true },
} satisfies Limits;
