import { codedError, isStoreError } from '../../types/run_errors.ts';
import { decodeValue } from '../../types/values/value.ts';
import { ApiError } from '../../platform/api_error.ts';
import type { Rpc } from '../../platform/database/rpc.ts';
import { type Effect, type KvStores, NodeError } from '../engine/node.ts';
import { releasedIfPassing } from '../engine/failures/passing_error.ts';

/**
 * Converts the error of a call: the refusal of a store becomes an error of the node. If the claim is lost or the
 * database does not answer, the run is released, and the next claim repeats the change. The database makes each change
 * only once.
 */
function toNodeFailure(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  if (isStoreError(error.code)) {
    return new NodeError(codedError(error.code, `${error.message}${error.hint === null ? '' : ` ${error.hint}`}`));
  }
  return releasedIfPassing(error);
}

/** Makes the key-value stores of a claimed run's owner for each node execution; `rpc` acts as the service role. */
export const makeKvStores = (
  rpc: Rpc,
  { flow_run_id, claim_number }: { flow_run_id: string; claim_number: number },
): (effect: Effect) => KvStores => {
  const call = async <Result>(name: string, args: object): Promise<Result> => {
    try {
      return await rpc<Result>(name, { claim: { flow_run_id, claim_number }, ...args });
    } catch (error) {
      throw toNodeFailure(error);
    }
  };
  const decode = (stored: unknown) => stored === null ? undefined : decodeValue(stored);
  return (effect) => ({
    create: (store) => call('kv_create_store', { effect, store }),
    delete: (store) => call('kv_delete_store', { effect, store }),
    read: async (store, key) => decode(await call('kv_read_item', { store, key })),
    write: async (store, key, value) => decode(await call('kv_write_item', { effect, store, key, value })),
  });
};
