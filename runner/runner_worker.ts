import { connectionLimits } from '../types/limits/connections.ts';
import { runLimits } from '../types/limits/runs.ts';
import { withoutTrailingSlashes } from '../platform/base_url.ts';
import type { Rpc } from '../platform/database/rpc.ts';
import { readPublicAddress } from '../platform/public_address.ts';
import { makeTransactions } from './solana/transactions.ts';
import { makeClaimInputs } from './queue/claim/claim_inputs.ts';
import { makeClaims } from './queue/claim/claims.ts';
import { writeLog } from './log_line.ts';
import { nodeRegistry } from './nodes/registry.ts';
import { makeKeyReader } from '../platform/secrets/sealed_secrets.ts';
import { makeConnectionOpener } from './connections/open_connection.ts';
import { makeWalletOpener } from './solana/signing/open_wallet.ts';
import { addressRule, type IsAllowed } from './reach/address_rules.ts';
import { makeByteBudget } from './reach/byte_budget.ts';
import { makeHttpClient } from './reach/http_client.ts';
import { makeHttpShare } from './reach/http_share.ts';
import { makeKvStores } from './reach/kv_stores.ts';
import { makeProjectApi, readProjectAddress } from './reach/project_api.ts';
import { makeOwnerBudgets } from './reach/owner_budgets.ts';
import { makeOwnerTurns } from './reach/owner_turns.ts';
import { makeCheckFileQuota } from './storage/file_quota.ts';
import { makeOwnerFiles } from './storage/owner_files.ts';
import { evaluateExpression } from './threads/evaluate_expression.ts';
import { makeScriptThreads, type SpawnScriptThread } from './threads/script_threads.ts';
import type { RunnerSettings } from './settings.ts';
import type { MakeQueueWatch } from './queue/queue_watch.ts';
import { makeWorker, type Worker } from './queue/worker.ts';
import { makeWebhooks, type Webhooks } from './webhooks/webhooks.ts';

export interface RunnerWorkerOptions {
  /** Calls as service role. */
  rpc: Rpc;
  settings: RunnerSettings;
  /** The environment. WALLET_KEYS and HELIUS_API_KEY are read when they are needed. */
  env: (name: string) => string | undefined;
  registry?: typeof nodeRegistry;
  /** Starts the thread for long scripts. If undefined, long scripts run in the engine's thread. */
  spawnScriptThread?: SpawnScriptThread;
  /** Makes the watch that notifies the worker of runs. */
  makeWatch?: MakeQueueWatch | undefined;
  /** Called when the worker finds no more runs, and a webhook is due to be delivered. */
  onDueWebhook?: (() => void) | undefined;
  /** Called when a run was released after the end of the drain, so that the caller can drain again. */
  onLateRelease?: (() => void) | undefined;
}

/**
 * Returns the address of the function `flow`, which receives answers to pending inputs. Undefined if neither variable
 * is set: a worker that uses Postgres directly need not know its project's address.
 */
function readFlowUrl(env: (name: string) => string | undefined): string | undefined {
  const supabaseUrl = env('SUPABASE_URL') ?? '';
  if (supabaseUrl === '' && (env('FLOW_URL') ?? '') === '') return undefined;
  return readPublicAddress('flow', env, withoutTrailingSlashes(supabaseUrl)).url;
}

/** Makes a worker with all services that nodes use. */
export function makeRunnerWorker(
  { rpc, settings, env, registry = nodeRegistry, spawnScriptThread, makeWatch, onDueWebhook, onLateRelease }:
    RunnerWorkerOptions,
): Worker {
  const makeBudget = (totalBytes: number) =>
    makeByteBudget({ totalBytes, oneBytes: 2 * settings.httpMaxResponseBytes, freeBytes: settings.httpFreeBytes });
  const workerBytes = makeBudget(settings.runnerMaxHttpBytes);
  // One owner gets at most half of the memory, so that other owners have memory left while all runs of that owner wait
  // for slow servers.
  const ownerBytes = makeOwnerBudgets(() => makeBudget(Math.floor(settings.runnerMaxHttpBytes / 2)));
  /**
   * Makes the two HTTP clients of one run. One is for addresses that flows choose, the other for the project's address.
   * A request waits while the run, the owner or the worker holds its maximum of bytes.
   */
  const makeRunHttpClients = (ownerId: string) => {
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
  const claims = makeClaims(rpc, settings, onDueWebhook);
  const flowUrl = readFlowUrl(env);
  const projectAddress = readProjectAddress(env);
  const takeProjectTurns = makeOwnerTurns(runLimits.project_requests.value);
  const scriptsOf = spawnScriptThread &&
    makeScriptThreads({ spawn: spawnScriptThread, budgetMs: settings.slice.busyMs });
  const readKeys = makeKeyReader(env);
  const walletsOf = makeWalletOpener(rpc, readKeys);
  const connectionsOf = makeConnectionOpener({
    rpc,
    readKeys,
    // Token requests have their own client, so that they do not wait for requests of runs.
    tokenHttp: makeHttpClient({
      isAllowed: addressRule(settings.allowPrivateNetwork),
      timeoutMs: connectionLimits.connection_token_ms.value,
      maxResponseBytes: 4 * connectionLimits.connection_token_bytes.value,
    }),
    allowsHttp: settings.allowPrivateNetwork,
  });
  return makeWorker({
    claims,
    makeWatch,
    onLateRelease,
    registry,
    makeServices: (claim, { journal, clock, onInputsAnswered }) => {
      const { http, projectHttp } = makeRunHttpClients(claim.user_id);
      return {
        http,
        project: makeProjectApi({
          rpc,
          claim,
          address: projectAddress,
          http: takeProjectTurns(claim.user_id, projectHttp),
          now: () => performance.now(),
        }),
        openConnection: connectionsOf(claim),
        kv: makeKvStores(rpc, claim),
        files: makeOwnerFiles({
          ownerId: claim.user_id,
          sharedBuckets: settings.sharedBuckets,
          http: projectHttp,
          env,
          checkQuota: makeCheckFileQuota(rpc, claim.user_id),
        }),
        inputs: makeClaimInputs({ claims, claim, journal, onInputsAnswered, flowUrl }),
        rest: clock.resting,
        scripts: scriptsOf?.(claim.user_id),
        evaluateExpression,
        transactions: makeTransactions({
          run: { id: claim.flow_run_id, settings: claim.settings },
          http,
          store: {
            store: async (transaction, requests) => {
              // The transaction may belong to a child run, which must be stored before its transactions.
              await journal.flush();
              return await claims.storeTransaction(claim, transaction, requests);
            },
          },
          openWallet: walletsOf(claim.user_id),
          limits: settings,
          heliusApiKey: env('HELIUS_API_KEY'),
          now: Date.now,
          resting: clock.resting,
          waiting: clock.waiting,
        }),
      };
    },
    settings,
    log: writeLog,
    now: () => Date.now(),
  });
}

/**
 * Makes the poster of webhooks. It follows the same address rules as nodes. The poster has its own HTTP client, so that
 * no run waits for a webhook.
 */
export function makeRunnerWebhooks({ rpc, settings }: Pick<RunnerWorkerOptions, 'rpc' | 'settings'>): Webhooks {
  return makeWebhooks({
    rpc,
    http: makeHttpClient({
      isAllowed: addressRule(settings.allowPrivateNetwork),
      timeoutMs: settings.webhookTimeoutMs,
      maxResponseBytes: settings.httpMaxResponseBytes,
    }),
    settings,
    log: writeLog,
  });
}
