import { parse, parseNumberAndBigInt, stringify } from 'lossless-json';
import { carryOutWithFault, ConnectionFault, type Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';
import { INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, RpcError } from './rpc_error.ts';
import type { Methods } from './rpc_method.ts';
import { readParams, type RpcJson } from './rpc_params.ts';

type Answer = { jsonrpc: '2.0'; id: RpcJson; result: RpcJson } | { jsonrpc: '2.0'; id: RpcJson; error: object };

const isObject = (json: RpcJson): json is { [name: string]: RpcJson } =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** True for a call without an id, which gets no answer. Source: JSON-RPC 2.0, section 4.1. */
const isNotification = (json: RpcJson): boolean =>
  isObject(json) && typeof json.method === 'string' && !Object.hasOwn(json, 'id');

function errorAnswer(id: RpcJson, error: unknown): Answer {
  const { code, message, data } = error instanceof RpcError
    ? error
    : new RpcError(INTERNAL_ERROR, `Internal error: ${error instanceof Error ? error.message : error}`);
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}

function readCall(json: RpcJson): { method: string; params: RpcJson[] } {
  if (!isObject(json) || json.jsonrpc !== '2.0' || typeof json.method !== 'string') {
    throw new RpcError(INVALID_REQUEST, 'Invalid request');
  }
  const { method, params = [] } = json;
  if (!Array.isArray(params)) throw new RpcError(INVALID_REQUEST, 'Invalid request');
  return { method, params };
}

/**
 * Takes the body of a request and returns the body of the answer, which is an empty text for a notification. Throws a
 * ConnectionFault if a test makes this call's connection fail.
 */
type RpcHandler = (body: string) => Promise<string>;

/** Makes the handler of JSON-RPC 2.0, batches included. Integers keep all their digits. */
export function makeRpcHandler(ledger: Ledger, methods: Methods, faults: Faults): RpcHandler {
  const answerOne = async (json: RpcJson): Promise<Answer> => {
    const id = isObject(json) ? json.id ?? null : null;
    try {
      const { method: name, params } = readCall(json);
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (method === undefined) throw new RpcError(METHOD_NOT_FOUND, 'Method not found');
      return {
        jsonrpc: '2.0',
        id,
        result: await carryOutWithFault(faults.take(name), () => method(ledger, readParams(params))),
      };
    } catch (error) {
      if (error instanceof ConnectionFault) throw error;
      return errorAnswer(id, error);
    }
  };

  const answer = async (body: string): Promise<Answer | Answer[] | undefined> => {
    let json: RpcJson;
    try {
      // SAFETY: this number parser makes numbers and bigints of the JSON's numbers.
      json = parse(body, undefined, parseNumberAndBigInt) as RpcJson;
    } catch {
      return errorAnswer(null, new RpcError(PARSE_ERROR, 'Parse error'));
    }
    if (!Array.isArray(json)) {
      const answered = await answerOne(json);
      return isNotification(json) ? undefined : answered;
    }
    if (json.length === 0) return errorAnswer(null, new RpcError(INVALID_REQUEST, 'Invalid request'));
    const answered = (await Promise.all(json.map(answerOne))).filter((_, index) => !isNotification(json[index]!));
    return answered.length === 0 ? undefined : answered;
  };

  return async (body) => stringify(await answer(body)) ?? '';
}
