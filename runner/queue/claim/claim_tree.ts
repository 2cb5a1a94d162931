import { type History, makeHistory } from '../../engine/state/journal.ts';
import type { NodeRegistry, NodeServices } from '../../engine/node.ts';
import { makePartialRun, type PartialRun } from '../../engine/graph/partial_run.ts';
import type { Slice } from '../../engine/state/slice.ts';
import type { TreeOptions } from '../../engine/make_tree.ts';
import type { RunnerSettings } from '../../settings.ts';
import { actionSignerOf } from '../../solana/run_settings.ts';
import { makeSettlement } from '../../solana/settle_instructions.ts';
import type { Transactions } from '../../solana/transaction_order.ts';
import type { ClaimJournal } from './claim_journal.ts';
import type { ClaimRecords } from './claim_records.ts';
import type { Claim, StoredHistory } from './claims.ts';
import type { OwnRunControl } from './run_control.ts';
import type { WorkClock } from './work_clock.ts';
import type { Snapshot } from '../../../types/flow.ts';

/**
 * The services that a claimed run uses: the services of its nodes, and the transactions that settle its instructions.
 */
interface RunServices extends NodeServices {
  transactions: Transactions;
}

/**
 * Makes the services of a claimed run. The services inform the clock when the run only waits for a person or wallet
 * outside the backend.
 */
export type MakeRunServices = (
  claim: Claim,
  work: { journal: ClaimJournal; clock: WorkClock } & Pick<OwnRunControl, 'onInputsAnswered'>,
) => RunServices;

interface ClaimTreeOptions {
  claim: Claim;
  snapshot: Snapshot;
  history: StoredHistory;
  records: ClaimRecords;
  control: OwnRunControl;
  slice: Slice;
  registry: NodeRegistry;
  makeServices: MakeRunServices;
  settings: RunnerSettings;
  /** Called each time a node execution ends. */
  onNodeEnded: () => void;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** Composes the options with which the engine executes a claimed run and the runs that it calls. */
export function composeTree(options: ClaimTreeOptions): TreeOptions {
  const { claim, history, records, control, slice, registry, settings, now } = options;
  const { journal, clock, outputs } = records;
  const stored = makeHistory(history);
  const snapshot = withEnvironment(options.snapshot, claim.settings.environment);
  const run = { ownerId: claim.user_id, startedBy: claim.started_by, network: claim.settings.chain_network };
  const { transactions, ...services } = options.makeServices(claim, {
    journal,
    clock,
    onInputsAnswered: control.onInputsAnswered,
  });
  return {
    root: {
      id: claim.flow_run_id,
      flowId: claim.flow_id,
      inputs: claim.inputs.M,
      partial: partialRunOf(claim, stored),
      pins: claim.settings.pins,
    },
    snapshot,
    run,
    registry,
    services,
    settlement: makeSettlement({
      transactions,
      stored: history.transactions,
      transactionEnded: journal.transactionEnded,
      actionSigner: actionSignerOf(claim.settings),
      isBundled: claim.settings.output_instructions,
      snapshot,
      registry,
      run,
    }),
    journal: {
      ...journal,
      nodeEnded: (run) => {
        options.onNodeEnded();
        journal.nodeEnded(run);
      },
    },
    history: stored,
    limits: limitsOf(settings),
    outputs,
    leastSleepMs: settings.runnerLongWaitMs,
    slice,
    stop: control.halt,
    releasing: control.releasing,
    now,
  };
}

const partialRunOf = ({ settings: { partial_config } }: Claim, { earlierRuns }: History): PartialRun | undefined =>
  partial_config && makePartialRun(partial_config, earlierRuns);

/**
 * Adds the environment in the run's settings to the started flow's environment. Called flows keep their own
 * environment.
 */
const withEnvironment = (snapshot: Snapshot, environment: Claim['settings']['environment']): Snapshot =>
  environment === undefined ? snapshot : {
    ...snapshot,
    entry: { ...snapshot.entry, environment: { ...environment, ...snapshot.entry.environment } },
  };

const limitsOf = (settings: RunnerSettings): TreeOptions['limits'] => ({
  nodeExecutions: settings.flowRunMaxNodeExecutions,
  interflowDepth: settings.flowRunMaxInterflowDepth,
  openNodes: settings.flowRunMaxOpenNodes,
  outputBytes: settings.flowRunMaxOutputBytes,
  allOutputBytes: settings.flowRunMaxAllOutputBytes,
  totalBytes: settings.flowRunMaxTotalBytes,
  logLines: settings.flowRunMaxLogLines,
  logCharacters: settings.flowRunMaxLogCharacters,
});
