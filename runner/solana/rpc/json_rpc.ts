import { LosslessNumber } from 'lossless-json';
import { JsonLimitError, parseLosslessJson } from '../../../types/values/json_text.ts';
import type { LosslessJson } from '../../../types/values/value.ts';
import { pause } from '../../../platform/pause.ts';
import { type HttpResponse, type NodeCall, NodeError } from '../../engine/node.ts';
import { requestOfRun } from '../../engine/failures/request_of_run.ts';
import { transienceOf } from '../../engine/failures/transient_answer.ts';
import { runLimits } from '../../../types/limits/runs.ts';

/**
 * Pauses between the attempts of one call. A server may ask for longer pauses. Each attempt has the time limit of the
 * HTTP client.
 */
const READ_RETRY = Object.freeze({ delaysMs: [200, 500, 1_500], maxRetryAfterMs: 5_000 });

/**
 * "Node is unhealthy" and "minimum context slot not reached". Both messages mean that the RPC node is behind the chain.
 * Source: Agave, `custom_error.rs`.
 */
const TRANSIENT_CODES = new Set([-32005, -32016]);

/** A JSON object whose numbers keep their digits as written. */
type LosslessObject = { [name: string]: LosslessJson };

/** The error that a server answers instead of a result. */
export class JsonRpcError extends NodeError {
  code: number;
  data: LosslessJson | undefined;
  constructor(code: number, message: string, data: LosslessJson | undefined) {
    super([`${message} (code ${code})`, ...numberedLogs(data)].join('\n'));
    this.code = code;
    this.data = data;
    if (TRANSIENT_CODES.has(code)) this.transience = {};
  }
}

export const isObject = (json: LosslessJson | undefined): json is LosslessObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof LosslessNumber);

/** Returns the lines that programs logged in a failed simulation, with a number before each line. */
function numberedLogs(data: LosslessJson | undefined): string[] {
  const logs = isObject(data) && Array.isArray(data.logs) ? data.logs : [];
  return logs.filter((line) => typeof line === 'string').map((line, index) => `${index + 1}: ${line}`);
}

/** True for methods that change nothing. A call of such a method may be repeated if its answer is lost. */
export const isReadMethod = (method: string): boolean => /^(get|is|search|simulate)/i.test(method);

/** The parts of a node's call that a request needs. */
export type RpcCaller = Pick<NodeCall, 'http' | 'signal' | 'releasing'>;

interface JsonRpcRequest {
  url: string;
  method: string;
  /** Makes the JSON text of the parameters without losing digits. Called when the request is about to be sent. */
  makeParams: () => string;
  id?: string | undefined;
  /** The most bytes that the answer may have; MAX_ANSWER_BYTES by default. */
  maxAnswerBytes?: number;
}

/**
 * The most bytes of an answer. The largest expected answer, with 1000 signatures and their memos, is several times
 * smaller.
 */
const MAX_ANSWER_BYTES = runLimits.rpc_answer_bytes.value;

/** Limits of an answer's JSON. No reader of this project needs deeper or larger values. */
const ANSWER_LIMITS = Object.freeze({
  depth: runLimits.rpc_answer_levels.value,
  members: runLimits.rpc_answer_values.value,
});

/** Parses the JSON of an answer; undefined if it is not JSON. Throws a JsonLimitError if it exceeds a limit. */
function parseBody({ body }: HttpResponse, maxBytes: number): LosslessJson | undefined {
  if (body.length > maxBytes) throw new JsonLimitError(`is larger than ${maxBytes} bytes`);
  try {
    return parseLosslessJson(new TextDecoder().decode(body), { ...ANSWER_LIMITS, characters: maxBytes });
  } catch (error) {
    if (error instanceof JsonLimitError) throw error;
    return undefined;
  }
}

/** Returns the whole answer. If the answer is an error, throws it. Throws a NodeError if the answer can't be read. */
function readAnswer(response: HttpResponse, method: string, maxBytes: number): LosslessObject {
  try {
    return resultOf(response, method, maxBytes);
  } catch (error) {
    const transience = transienceOf(response);
    if (error instanceof NodeError && transience !== undefined) error.transience = transience;
    throw error;
  }
}

function resultOf(response: HttpResponse, method: string, maxBytes: number): LosslessObject {
  let answer: LosslessJson | undefined;
  try {
    answer = parseBody(response, maxBytes);
  } catch (error) {
    throw error instanceof JsonLimitError ? new NodeError(`${method}: the answer ${error.message}`) : error;
  }
  const error = isObject(answer) ? answer.error : undefined;
  if (isObject(error)) {
    const message = typeof error.message === 'string' ? error.message : 'the server answers with an error';
    throw new JsonRpcError(Number(error.code), message, error.data);
  }
  if (response.status !== 200) throw new NodeError(`${method}: the RPC server answers with status ${response.status}`);
  if (!isObject(answer) || !('result' in answer)) throw new NodeError(`${method}: the answer is not JSON-RPC`);
  return answer;
}

/** Returns the delay before the next attempt; undefined if there is no further attempt. */
function retryDelay(attempt: number, error: unknown): number | undefined {
  const delay = READ_RETRY.delaysMs[attempt];
  if (delay === undefined || !(error instanceof NodeError) || error.transience === undefined) return undefined;
  return Math.min(Math.max(delay, error.transience.retryAfterMs ?? 0), READ_RETRY.maxRetryAfterMs);
}

/**
 * Calls a method of a JSON-RPC server and returns its whole answer. A read is repeated if the network fails or the
 * server has a temporary failure. Other methods are never repeated, because the request may have arrived. Throws a
 * JsonRpcError if the server answers with an error, else a NodeError. No message contains the URL's path or query,
 * which may hold an API key.
 */
export async function callJsonRpc(
  caller: RpcCaller,
  { url, method, makeParams, id = '1', maxAnswerBytes = MAX_ANSWER_BYTES }: JsonRpcRequest,
): Promise<LosslessObject> {
  const isRead = isReadMethod(method);
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)},"params":`;
  const request = {
    method: 'POST',
    url,
    headers: [['content-type', 'application/json']] as [string, string][],
    makeBody: () => new TextEncoder().encode(`${head}${makeParams()}}`),
    maxResponseBytes: maxAnswerBytes,
  };
  return await requestOfRun(caller, isRead, async (end) => {
    for (let attempt = 0;; attempt++) {
      try {
        return readAnswer(await caller.http.request({ ...request, signal: end }), method, maxAnswerBytes);
      } catch (error) {
        const delay = isRead && !end.aborted ? retryDelay(attempt, error) : undefined;
        if (delay === undefined) throw error;
        await pause(delay, end);
        end.throwIfAborted();
      }
    }
  });
}
