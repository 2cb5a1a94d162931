import { readFileSync } from 'node:fs';
import { openapiFile } from '../../dev/docs/openapi.ts';
import { type Contract, ContractError, makeContract } from './contract.ts';

function textOf(body: RequestInit['body']): string | undefined {
  if (body === undefined || body === null) return '';
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  return typeof body === 'string' ? body : undefined;
}

let contract: Contract | undefined;

/** Calls fetch. Throws a ContractError if the request or the answer contradicts docs/reference/openapi.json. */
export const checkedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  contract ??= makeContract(JSON.parse(readFileSync(openapiFile, 'utf8')));
  const { url, method, headers } = input instanceof Request
    ? input
    : new Request(input, { ...init, body: undefined, signal: null });
  // The text of a stream of events has no schema. Do not wait for it, because the stream may last as long as the test.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const body = isStream ? '""' : await response.clone().text();
  const answer = { status: response.status, headers: response.headers, body };
  contract.check({ url, method, headers, body: textOf(init?.body) }, answer);
  return response;
};

/**
 * The fetch for supabase-js: calls checkedFetch. Supabase-js converts errors of fetch to answers, which a test may
 * overlook. This function makes such an error fail the test run.
 */
export const loudFetch: typeof fetch = async (input, init) => {
  try {
    return await checkedFetch(input, init);
  } catch (error) {
    // Leave this promise unhandled on purpose: an unhandled rejection fails the test run.
    if (error instanceof ContractError) void Promise.reject(error);
    throw error;
  }
};
