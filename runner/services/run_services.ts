import type { Rpc } from '../../platform/database/rpc.ts';
import { makeKeyReader } from '../../platform/secrets/sealed_secrets.ts';
import { makeConnectionOpener } from '../connections/open_connection.ts';
import { makeClaimInputs } from '../queue/claim/claim_inputs.ts';
import type { MakeRunServices } from '../queue/claim/claim_tree.ts';
import type { Claims } from '../queue/claim/claims.ts';
import { makeModelMeter } from '../models/model_meter.ts';
import type { RunnerSettings } from '../settings.ts';
import { makeWalletOpener } from '../solana/signing/open_wallet.ts';
import { makeTransactions } from '../solana/carry_out_orders.ts';
import { evaluateExpression } from '../threads/evaluate_expression.ts';
import { makeScriptThreads, type SpawnScriptThread } from '../threads/script_threads.ts';
import { readFlowUrl } from './flow_url.ts';
import { makeHttpClientsOfRuns, makeTokenClient } from './http_clients.ts';
import { makeProjectServices } from './project_services.ts';

interface RunServicesOptions {
  /** Calls as service role. */
  rpc: Rpc;
  claims: Claims;
  settings: RunnerSettings;
  env: (name: string) => string | undefined;
  spawnScriptThread?: SpawnScriptThread | undefined;
}

/** Makes the function that makes the services of a claimed run. The runs of one worker share what is made here. */
export function makeServicesOfRuns(
  { rpc, claims, settings, env, spawnScriptThread }: RunServicesOptions,
): MakeRunServices {
  const httpClientsOf = makeHttpClientsOfRuns(settings);
  const projectServicesOf = makeProjectServices({ rpc, settings, env });
  const flowUrl = readFlowUrl(env);
  const scriptsOf = spawnScriptThread &&
    makeScriptThreads({ spawn: spawnScriptThread, budgetMs: settings.slice.busyMs });
  const readKeys = makeKeyReader(env);
  const walletsOf = makeWalletOpener(rpc, readKeys);
  const connectionsOf = makeConnectionOpener({
    rpc,
    readKeys,
    tokenHttp: makeTokenClient(settings),
    allowsHttp: settings.allowPrivateNetwork,
  });
  return (claim, { journal, clock, onInputsAnswered }) => {
    const clients = httpClientsOf(claim.user_id);
    const { http } = clients;
    return {
      http,
      ...projectServicesOf(claim, clients),
      openConnection: connectionsOf(claim),
      models: makeModelMeter(rpc, claim),
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
  };
}
