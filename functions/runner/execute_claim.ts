import { ApiError } from '../_shared/api_error.ts';
import { makeClaimJournal } from './claim_journal.ts';
import type { Claim, Claims, StopRequest } from './claims.ts';
import { makeHistory } from './engine/journal.ts';
import type { Halt, NodeRegistry, NodeServices } from './engine/node.ts';
import type { Slice } from './engine/slice.ts';
import { executeTree } from './engine/tree.ts';
import { errorText, type RunFacts, type WriteLog } from './log_line.ts';
import type { RunnerSettings } from './settings.ts';
import type { Snapshot } from '../../types/flow.ts';

export interface ExecuteClaimDeps {
  claims: Claims;
  registry: NodeRegistry;
  /** What the nodes of a claimed run reach outside. */
  makeServices: (claim: Claim) => NodeServices;
  settings: RunnerSettings;
  log: WriteLog;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** What happens to a run from outside while it is executed. */
export interface RunControl {
  /** Ends the run, the first time that it is called. */
  stop: (request: StopRequest) => void;
  /** The claim is over: nothing more of it will be taken. */
  lose: () => void;
}

/** A claimed run that is being executed. */
export interface ClaimExecution extends RunControl {
  claim: Claim;
  /** Resolves when this worker has nothing more to do with the run; never rejects. */
  ended: Promise<void>;
}

const isClaimLost = (error: unknown): boolean => error instanceof ApiError && error.code === 'claim_lost';

/**
 * Executes a claimed run to its end or to the end of the slice, storing progress on the way.
 * When the claim is lost meanwhile, whoever has it now goes on; what keeps it from going on is logged, and the run is claimed
 * again when the lease is over.
 */
export function executeClaim(deps: ExecuteClaimDeps, claim: Claim, snapshot: Snapshot, slice: Slice): ClaimExecution {
  const { claims, settings, log, now } = deps;
  const halt = new AbortController();
  const end = (reason: Halt) => halt.abort(reason);
  const startedAt = now();
  let isLost = false;
  let executions = 0;

  const stop = ({ reason, timeout_millies }: StopRequest) =>
    end({ status: 'stopped', message: `canceled by user ${reason ?? ''}`.trimEnd(), graceMs: timeout_millies ?? 0 });
  const lose = () => {
    isLost = true;
    end({ status: 'stopped', message: 'the claim is lost', graceMs: 0 });
  };
  const facts = (): RunFacts => ({
    flow_run_id: claim.flow_run_id,
    attempt: claim.attempt,
    duration_ms: Math.round(now() - startedAt),
    node_executions: executions,
  });

  const execute = async (): Promise<void> => {
    const history = await claims.history(claim);
    const journal = makeClaimJournal(claims, claim, history, settings, now);
    const workLimit = setTimeout(() =>
      end({
        status: 'failed',
        message: `run_time_limit: the run has worked for ${settings.flowRunMaxWorkMs} ms`,
        graceMs: 0,
      }), Math.max(settings.flowRunMaxWorkMs - claim.work_ms, 0));
    if (claim.stop !== null) stop(claim.stop);
    try {
      const result = await executeTree({
        root: { id: claim.flow_run_id, inputs: claim.inputs.M },
        snapshot,
        run: { ownerId: claim.user_id, startedBy: claim.started_by, network: claim.settings.chain_network },
        registry: deps.registry,
        services: deps.makeServices(claim),
        journal: {
          ...journal,
          nodeEnded: (run) => {
            executions += 1;
            journal.nodeEnded(run);
          },
        },
        history: makeHistory(history.node_runs, history.children, history.ended_executions),
        limits: {
          nodeExecutions: settings.flowRunMaxNodeExecutions,
          interflowDepth: settings.flowRunMaxInterflowDepth,
          workMs: settings.flowRunMaxWorkMs,
          outputBytes: settings.flowRunMaxOutputBytes,
          logLines: settings.flowRunMaxLogLines,
        },
        slice,
        stop: halt.signal,
        now,
      });
      journal.close();
      const rest = await journal.takeRest();
      if (isLost) return log('warn', { event: 'claim_lost', ...facts() });
      if (result.status === 'handed_back') {
        await claims.handBack(claim, rest);
        log('info', { event: 'run_handed_back', ...facts() });
      } else {
        await claims.finish(claim, rest, result);
        log(result.status === 'failed' ? 'warn' : 'info', {
          event: 'run_finished',
          status: result.status,
          errors: result.errors?.length ?? 0,
          ...facts(),
        });
      }
    } finally {
      clearTimeout(workLimit);
      journal.close();
    }
  };

  const ended = execute().catch((error) => {
    if (isClaimLost(error)) log('warn', { event: 'claim_lost', ...facts() });
    else log('error', { event: 'run_interrupted', error: errorText(error), ...facts() });
  });
  return { claim, ended, stop, lose };
}
