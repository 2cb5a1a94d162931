import type { StartResult } from '../../../types/deployment.ts';
import { FlowBuilder } from '../../support/flow_builder.ts';
import { type Attack, inTurn } from './attack.ts';
import type { Attacker, Outcome } from './attacker.ts';

const json = JSON.stringify;

/** A flow of this many nodes. Each node has an edge from the one before, and a text of this many characters. */
function chainFlow(nodes: number, characters: number): FlowBuilder {
  const flow = new FlowBuilder();
  let last = flow.json(1);
  for (let index = 0; index < nodes; index++) {
    last = flow.toText(last, `${index}${'t'.repeat(characters)}`);
  }
  flow.output('out', last);
  return flow;
}

/** A flow with a thousand nodes that succeed, and one that fails. */
function failingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  for (let index = 0; index < 1_000; index++) flow.toText(flow.json(index), `branch ${index}`);
  flow.output('out', flow.field('missing', flow.json({ a: 1 })));
  return flow;
}

/** Calls a function of the database with the user's token. */
const rpc = ({ send }: Attacker, name: string, args: object): Promise<Outcome> =>
  send(`/rest/v1/rpc/${name}`, json(args));

/** Waits for the end of the run that this answer names, and returns its id. */
async function endedRun(attacker: Attacker, started: Outcome): Promise<string> {
  const { flow_run_id } = JSON.parse(started.body) as StartResult;
  await attacker.read(`/functions/v1/flow/output/${flow_run_id}`);
  return flow_run_id;
}

/** Attacks by the calls with which the console draws, checks, keeps and compares flows, and searches their runs. */
export const editorAttacks: Attack[] = [
  {
    name: 'checks of large flows, saved and not saved',
    lanes: 4,
    prepare: async (attacker) => {
      const small = chainFlow(1_200, 200).row();
      const saved = await attacker.store(chainFlow(7_000, 500));
      return inTurn([
        () => rpc(attacker, 'check_flow', { flow: small }),
        () => rpc(attacker, 'check_flow', { flow_id: saved }),
      ]);
    },
  },
  {
    name: 'versions of a large flow, changed, kept and restored',
    lanes: 2,
    prepare: async (attacker) => {
      const flow = await attacker.store(chainFlow(7_000, 500));
      const first = JSON.parse((await rpc(attacker, 'keep_flow_version', { flow_id: flow })).body) as number;
      let count = 0;
      return inTurn([
        () =>
          attacker.send(`/rest/v1/flows?id=eq.${flow}`, json({ environment: { A: `${count++}` } }), undefined, 'PATCH'),
        () => rpc(attacker, 'keep_flow_version', { flow_id: flow }),
        () => rpc(attacker, 'restore_flow_version', { id: first }),
        () => attacker.read(`/rest/v1/flow_versions?flow_id=eq.${flow}&select=nodes&limit=1`),
      ]);
    },
  },
  {
    name: 'comparisons of a large flow with its deployment',
    lanes: 4,
    prepare: async (attacker) => {
      const flow = await attacker.store(chainFlow(7_000, 500));
      const { deployment_id: id } = JSON.parse((await attacker.deploy(flow)).body);
      await attacker.send(`/rest/v1/flows?id=eq.${flow}`, json({ name: 'renamed' }), undefined, 'PATCH');
      return inTurn([
        () => rpc(attacker, 'flow_has_changed', { id }),
        () => rpc(attacker, 'deployment_graph', { id }),
      ]);
    },
  },
  {
    name: 'searches of all runs for a text that none has',
    lanes: 4,
    prepare: async (attacker) => {
      const flow = await attacker.store(chainFlow(1, 0));
      for (let count = 0; count < 200; count++) await attacker.run(flow);
      const search = `${'a'.repeat(99)}%`;
      return inTurn([
        () => rpc(attacker, 'find_flow_runs', { search, since: '2000-01-01' }),
        () => rpc(attacker, 'flow_run_overview', { search, since: '2000-01-01' }),
      ]);
    },
  },
  {
    name: 'redrives of a failed run of a thousand nodes on another deployment',
    lanes: 2,
    strikes: 500,
    prepare: async (attacker) => {
      const flow = await attacker.store(failingFlow());
      // A run can be redriven only once. So a strike redrives the run that an earlier strike has made, if there is such
      // a run.
      const runs: string[] = [];
      const { deployment_id } = JSON.parse((await attacker.deploy(flow)).body);
      return async () => {
        const run = runs.shift() ?? await endedRun(attacker, await attacker.run(flow));
        const redriven = await attacker.send(`/functions/v1/flow/redrive/${run}?deployment=${deployment_id}`);
        runs.push(redriven.status === 200 ? await endedRun(attacker, redriven) : run);
        return redriven;
      };
    },
  },
];
