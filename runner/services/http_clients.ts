import { connectionLimits } from '../../types/limits/connections.ts';
import type { HttpClient } from '../engine/node.ts';
import { addressRule, type IsAllowed } from '../reach/address_rules.ts';
import { makeByteBudget } from '../reach/byte_budget.ts';
import { makeHttpClient } from '../reach/http_client.ts';
import { makeHttpShare } from '../reach/http_share.ts';
import { makeOwnerBudgets } from '../reach/owner_budgets.ts';
import type { RunnerSettings } from '../settings.ts';

/** The two HTTP clients of one run. */
export interface RunHttpClients {
  /** For addresses that flows choose. */
  http: HttpClient;
  /** For the address of the project. */
  projectHttp: HttpClient;
}

/** Makes the function that makes the HTTP clients of a run, given its owner. */
export function makeHttpClientsOfRuns(settings: RunnerSettings): (ownerId: string) => RunHttpClients {
  const makeBudget = (totalBytes: number) =>
    makeByteBudget({ totalBytes, oneBytes: 2 * settings.httpMaxResponseBytes, freeBytes: settings.httpFreeBytes });
  const workerBytes = makeBudget(settings.runnerMaxHttpBytes);
  // One owner gets at most half of the memory, so that other owners have memory left while all runs of that owner wait
  // for slow servers.
  const ownerBytes = makeOwnerBudgets(() => makeBudget(Math.floor(settings.runnerMaxHttpBytes / 2)));
  // A request waits while the run, the owner or the worker holds its maximum of bytes.
  return (ownerId) => {
    const budgets = [makeBudget(settings.flowRunMaxHttpBytes), ownerBytes.of(ownerId), workerBytes];
    const makeClient = (isAllowed: IsAllowed) =>
      makeHttpClient({
        timeoutMs: settings.httpTimeoutMs,
        maxResponseBytes: settings.httpMaxResponseBytes,
        isAllowed,
        // Each client has its own share, so that a request to the project does not wait for slow servers that the flow
        // calls.
        share: makeHttpShare(settings.flowRunMaxHttpRequests, budgets),
      });
    return {
      http: makeClient(addressRule(settings.allowPrivateNetwork)),
      // The operator chooses the project's address, so the rules about addresses do not apply to it.
      projectHttp: makeClient(() => true),
    };
  };
}

/** Makes the client of token requests, so that they do not wait for requests of runs. */
export const makeTokenClient = (settings: RunnerSettings): HttpClient =>
  makeHttpClient({
    isAllowed: addressRule(settings.allowPrivateNetwork),
    timeoutMs: connectionLimits.connection_token_ms.value,
    maxResponseBytes: 4 * connectionLimits.connection_token_bytes.value,
  });

/** Makes the client of outgoing webhooks, so that no run waits for a webhook. It follows the same address rules as nodes. */
export const makeWebhookClient = (settings: RunnerSettings): HttpClient =>
  makeHttpClient({
    isAllowed: addressRule(settings.allowPrivateNetwork),
    timeoutMs: settings.webhookTimeoutMs,
    maxResponseBytes: settings.httpMaxResponseBytes,
  });
