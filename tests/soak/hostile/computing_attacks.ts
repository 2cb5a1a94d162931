import { expressionsFlow, scriptsFlow } from '../../support/computing_flows.ts';
import { type Attack, runInTurn } from './attack.ts';

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
];
