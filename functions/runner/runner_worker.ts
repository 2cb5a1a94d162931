import type { Rpc } from '../_shared/database.ts';
import { makeTransactions } from './solana/transactions.ts';
import { makeClaims } from './queue/claims.ts';
import { writeLog } from './log_line.ts';
import { nodeRegistry } from './nodes/registry.ts';
import { makeWalletOpener } from './solana/open_wallet.ts';
import { isPublicAddress, isPublicOrPrivateAddress } from './reach/address_rules.ts';
import { makeByteBudget } from './reach/byte_budget.ts';
import { makeHttpClient } from './reach/http_client.ts';
import { makeHttpShare } from './reach/http_share.ts';
import { makeKvStores } from './reach/kv_stores.ts';
import { makeOwnerBudgets } from './reach/owner_budgets.ts';
import { makeScriptThreads, type SpawnScriptThread } from './nodes/rhai_script/threads/script_threads.ts';
import type { RunnerSettings } from './settings.ts';
import { makeWorker, type Worker } from './queue/worker.ts';

export interface RunnerWorkerOptions {
  /** Calls as service role. */
  rpc: Rpc;
  settings: RunnerSettings;
  /** The environment. WALLET_KEYS and HELIUS_API_KEY are read when they are needed. */
  env: (name: string) => string | undefined;
  registry?: typeof nodeRegistry;
  /** Starts the thread for long scripts. Without it they run in the engine's thread. */
  spawnScriptThread?: SpawnScriptThread;
}

/** Makes a worker with all services that nodes use. */
export function makeRunnerWorker(
  { rpc, settings, env, registry = nodeRegistry, spawnScriptThread }: RunnerWorkerOptions,
): Worker {
  const makeBudget = (totalBytes: number) =>
    makeByteBudget({ totalBytes, oneBytes: 2 * settings.httpMaxResponseBytes, freeBytes: settings.httpFreeBytes });
  const workerBytes = makeBudget(settings.runnerMaxHttpBytes);
  // One owner gets half at most, so that others have memory left when its runs all wait for slow servers.
  const ownerBytes = makeOwnerBudgets(() => makeBudget(Math.floor(settings.runnerMaxHttpBytes / 2)));
  /** The client of one run. Its requests wait when the run, the owner or the worker holds as many bytes as it may. */
  const makeRunHttpClient = (ownerId: string) =>
    makeHttpClient({
      isAllowed: settings.allowPrivateNetwork ? isPublicOrPrivateAddress : isPublicAddress,
      timeoutMs: settings.httpTimeoutMs,
      maxResponseBytes: settings.httpMaxResponseBytes,
      share: makeHttpShare(settings.flowRunMaxHttpRequests, [
        makeBudget(settings.flowRunMaxHttpBytes),
        ownerBytes.of(ownerId),
        workerBytes,
      ]),
    });
  const claims = makeClaims(rpc, settings);
  const scriptsOf = spawnScriptThread &&
    makeScriptThreads({ spawn: spawnScriptThread, budgetMs: settings.slice.busyMs });
  const walletsOf = makeWalletOpener(rpc, env);
  return makeWorker({
    claims,
    registry,
    makeServices: (claim, { journal, clock }) => {
      const http = makeRunHttpClient(claim.user_id);
      return {
        http,
        kv: makeKvStores(rpc, claim),
        rest: clock.resting,
        scripts: scriptsOf?.(claim.user_id),
        transactions: makeTransactions({
          run: { id: claim.flow_run_id, settings: claim.settings },
          http,
          store: {
            store: async (transaction, requests) => {
              // The transaction may belong to a child run that is not stored yet.
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
