import { countText, sizeText } from '../limits/limit_text.ts';
import { storeLimits } from '../limits/stores.ts';
import type { ErrorEntry } from './error_entry.ts';

/** The errors of key-value stores. */
export const storeErrors = {
  kv_store_name_invalid: {
    status: 400,
    meaning:
      `The name of a key-value store must be 1 to ${storeLimits.kv_store_name_characters.value} letters, digits, \`_\` and \`-\`, beginning with a letter.`,
    remedy: 'Correct the name; in a flow, correct the input of the node.',
    example: {
      message: 'The name of a store must be 1 to 120 letters, digits, _ and -, beginning with a letter.',
    },
  },
  kv_key_invalid: {
    status: 400,
    meaning: `The key of an item must have 1 to ${countText(storeLimits.kv_key_bytes.value)} bytes.`,
    remedy: 'Correct the key; in a flow, correct the input of the node.',
    example: { message: 'A key must have 1 to 1024 bytes.' },
  },
  kv_value_invalid: {
    status: 400,
    meaning: 'The value of an item must be a tagged value.',
    remedy: 'Send one value with its tag, such as `{"S": "text"}`.',
    example: { message: 'value: must be an object with exactly one tag, such as {"S": "text"}' },
  },
  kv_item_not_found: {
    status: 404,
    meaning: 'The key-value store has no item of this key.',
    remedy: 'Write the item first, or treat the answer as an empty item.',
    example: { message: 'There is no item with this key in the store.' },
  },
  kv_store_not_found: {
    status: 404,
    meaning: 'The user has no such key-value store.',
    remedy: 'Create the store: `POST /kv/create_store`, or node `kv_create_store`.',
    example: { message: 'There is no store "settings".' },
  },
  kv_store_exists: {
    status: 409,
    meaning: 'The user has a key-value store of that name.',
    remedy: 'Use another name, or remove the node that creates the store.',
    example: { message: 'The store "settings" already exists.' },
  },
  kv_stores_limit: {
    status: 409,
    meaning: `The user has ${storeLimits.kv_stores.value} key-value stores already.`,
    remedy: 'Delete a store: `POST /kv/delete_store`, or node `kv_delete_store`.',
    example: {
      message: 'A user can have 100 key-value stores at most.',
      hint: 'Delete a store that is not needed any more.',
    },
  },
  kv_size_limit: {
    status: 413,
    meaning: `The key-value stores of the user would exceed ${sizeText(storeLimits.kv_bytes.value)}.`,
    remedy: 'Delete items or stores.',
    example: {
      message: 'The key-value stores of a user can hold 100 MiB at most, counting keys and values as text.',
      details: { size_bytes: 104_857_700 },
      hint: 'Delete a store that is not needed any more, or write smaller values.',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
