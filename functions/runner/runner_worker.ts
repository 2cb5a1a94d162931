import type { Rpc } from '../_shared/database.ts';
import { makeClaims } from './claims.ts';
import { writeLog } from './log_line.ts';
import { nodeRegistry } from './nodes/registry.ts';
import type { RunnerSettings } from './settings.ts';
import { makeWorker, type Worker } from './worker.ts';

/** A worker with all nodes and what they reach; `rpc` acts as service role. */
export function makeRunnerWorker(rpc: Rpc, settings: RunnerSettings): Worker {
  return makeWorker({
    claims: makeClaims(rpc, settings),
    registry: nodeRegistry,
    makeServices: () =>
      ({
        http: {
          request: () => {
            throw new Error('TODO');
          },
        },
        kv: () => ({}),
      }) as never,
    settings,
    log: writeLog,
    now: () => Date.now(),
  });
}
