import { expect, it } from 'vitest';
import type { RunNode } from '../graph/graph.ts';
import { Lifecycle } from '../state/lifecycle.ts';
import type { Participant } from './participants.ts';
import type { Parked, ParkedRun } from './settlement.ts';
import { Sleepers } from './sleepers.ts';
import { Standstill } from './standstill.ts';
import type { CallSite, TreeRun } from './tree_run.ts';

// SAFETY: nothing else of a run or a node is read.
const nodeAt = (index: number) => ({ index }) as Partial<RunNode> as RunNode;
const calledBy = (run: TreeRun, index: number) => ({ run, node: nodeAt(index), execution: { times: 0 } }) as CallSite;
const runOf = (id: string, caller?: CallSite) => ({ id, caller }) as Partial<TreeRun> as TreeRun;

it('only runs with parked executions are settled: each before the runs that it called, in the order of the calls', async () => {
  const looks: string[][] = [];
  const standstill = new Standstill({
    settlement: {
      nextStep: (runs: readonly ParkedRun[]) => void looks.push(runs.map(({ run }) => run.id)),
      sentBefore: () => undefined,
      isNamedByFlow: () => false,
    },
    sleepers: new Sleepers(() => {}),
    lifecycle: new Lifecycle(() => {}),
    now: () => 0,
    leastSleepMs: 0,
  });
  const join = (run: TreeRun, hasParked: boolean): TreeRun => {
    // SAFETY: only a settlement would read the parked execution, and this test settles none.
    const parked = new Map(hasParked ? [[nodeAt(0), {} as Parked]] : []);
    const participant: Participant = {
      run,
      nodes: [],
      parked,
      endings: new Map(),
      isQuiet: () => true,
      isDormant: () => true,
      end: () => {},
      tryAgain: () => {},
      log: () => {},
      wake: () => {},
    };
    standstill.join(participant);
    return run;
  };
  const root = join(runOf('root'), true);
  const second = join(runOf('second', calledBy(root, 2)), false);
  join(runOf('in second', calledBy(second, 0)), true);
  const first = join(runOf('first', calledBy(root, 1)), true);
  join(runOf('in first', calledBy(first, 0)), false);
  standstill.consider();
  await standstill.settled();
  expect(looks).toEqual([['root', 'first', 'in second']]);
});
