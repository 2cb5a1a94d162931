import { expressionsFlow, scriptsFlow } from '../../support/computing_flows.ts';
import type { StartResult } from '../../../types/deployment.ts';
import type { FormJson } from '../../support/flow_builder.ts';
import { askingFlow } from '../../support/pending_inputs.ts';
import { waitFor } from '../../support/wait.ts';
import { type Attack, runInTurn } from './attack.ts';
import type { Attacker } from './attacker.ts';

/** Starts a flow that asks for a value, and returns the URL for the answer. */
async function askForValue(attacker: Attacker, json_schema: FormJson): Promise<string> {
  const flow = askingFlow({ json_schema });
  const { flow_run_id } = JSON.parse((await attacker.run(await attacker.store(flow))).body) as StartResult;
  return await waitFor(async () => {
    const { body } = await attacker.read(`/rest/v1/pending_inputs?select=url&root_flow_run_id=eq.${flow_run_id}`);
    return (JSON.parse(body) as { url: string }[])[0]?.url;
  });
}

/** Attacks by computing in the thread that also answers others. */
export const computingAttacks: Attack[] = [
  {
    name: 'runs of 300 different scripts',
    lanes: 4,
    prepare: (attacker) => runInTurn(attacker, [scriptsFlow(300)]),
  },
  {
    name: 'deploys with 300 different expressions',
    lanes: 4,
    prepare: async (attacker) => {
      const id = await attacker.store(expressionsFlow(300));
      return () => attacker.deploy(id);
    },
  },
  {
    name: 'wrong answers to a schema of 650 alternatives for each item',
    lanes: 4,
    prepare: async (attacker) => {
      const alternatives = Array.from({ length: 650 }, () => ({ const: 1 }));
      const url = await askForValue(attacker, { type: 'array', items: { anyOf: alternatives } });
      const body = JSON.stringify({ values: Array.from({ length: 30_000 }, () => 0) });
      return () => attacker.send(new URL(url).pathname, body, {});
    },
  },
];
