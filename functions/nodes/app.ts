import { addressRule } from '../../runner/reach/address_rules.ts';
import { makeByteBudget } from '../../runner/reach/byte_budget.ts';
import { makeHttpClient } from '../../runner/reach/http_client.ts';
import { makeHttpShare } from '../../runner/reach/http_share.ts';
import { readWalletKeys } from '../../platform/secrets/sealed_secrets.ts';
import { connectionLimits } from '../../types/limits/connections.ts';
import { definitionLimits } from '../../types/limits/definitions.ts';
import { makeApp } from '../_shared/app.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { makeReadDocument } from './read_document.ts';
import { makeReadForCaller } from './read_for_caller.ts';
import { makeReadTools } from './read_tools.ts';

const MAX_DOCUMENT_BYTES = definitionLimits.document_bytes.value;

/** The most requests of all callers at a time. */
const MAX_REQUESTS = 24;

/** The documents of all callers together. An isolate has 256 MiB, and a document is there as bytes and as a text. */
const documentBytes = () =>
  makeByteBudget({ totalBytes: 3 * MAX_DOCUMENT_BYTES, oneBytes: 2 * MAX_DOCUMENT_BYTES, freeBytes: 262_144 });

/** Makes the Edge Function `nodes`. */
export function makeNodesApp(platform: Platform) {
  const deps = makeDeps(platform);
  const allowsHttp = platform.env('ALLOW_PRIVATE_NETWORK') === '1';
  const isAllowed = addressRule(allowsHttp);
  const http = makeHttpClient({
    isAllowed,
    timeoutMs: definitionLimits.document_ms.value,
    maxResponseBytes: MAX_DOCUMENT_BYTES,
    share: makeHttpShare(MAX_REQUESTS, [documentBytes()]),
  });
  const tokenHttp = makeHttpClient({
    isAllowed,
    timeoutMs: connectionLimits.connection_token_ms.value,
    maxResponseBytes: 4 * connectionLimits.connection_token_bytes.value,
  });
  const readForCaller = makeReadForCaller(deps, {
    readKeys: () => readWalletKeys(platform.env),
    http,
    tokenHttp,
    allowsHttp,
  });
  return makeApp('nodes', [
    { method: 'POST', path: '/document', handle: makeReadDocument(readForCaller) },
    { method: 'POST', path: '/tools', handle: makeReadTools(readForCaller) },
  ]);
}
