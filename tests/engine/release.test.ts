import { expect, it } from 'vitest';
import { type NodeModule, Released } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { claimFlow, type ExecuteFlowOptions, testNode } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';

const CALLED = 7;

/** A node that throws Released: it can't continue in this claim. */
const stuck = testNode([], ['out'], () => Promise.reject(new Released()));

/** A node that throws Released after the run is to be released, this many microtasks later. */
const leaving = (steps: number): NodeModule =>
  testNode([], ['out'], async ({ releasing }) => {
    if (!releasing.aborted) {
      await new Promise<void>((resolve) => releasing.addEventListener('abort', () => resolve(), { once: true }));
    }
    for (let step = 0; step < steps; step++) await Promise.resolve();
    throw new Released();
  });

it.each(Array.from({ length: 12 }, (_, steps) => steps))(
  'a run whose called run is released without progress has not ended, %s steps later',
  async (steps) => {
    const called = new FlowBuilder();
    called.node('stuck', { outputs: ['out'] });
    called.output('out', called.node('leaving', { outputs: ['out'] }).output('out'));
    const calling = new FlowBuilder();
    calling.output('out', calling.interflow(CALLED, {}, ['out']).output('out'));
    const options: ExecuteFlowOptions = {
      flows: { [CALLED]: called },
      registry: (id) => id === 'stuck' ? stuck : id === 'leaving' ? leaving(steps) : nodeRegistry(id),
    };
    const first = await claimFlow(calling, {}, options);
    expect(first.result).toEqual({ status: 'released' });
    // The first claim has recorded the begin of each node, so the second claim has nothing new to record before its
    // release.
    const second = await claimFlow(calling, {}, { ...options, earlier: first.recorded });
    expect(second.result).toEqual({ status: 'released' });
  },
);
