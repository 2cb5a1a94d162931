import { FlowBuilder, textFlow } from '../../support/flow_builder.ts';
import { type Attack, runInTurn } from './attack.ts';

/** A flow with agents whose model is at this address, and has one tool. */
function agentsFlow(base_url: string, tool: number): FlowBuilder {
  const flow = new FlowBuilder();
  for (let index = 0; index < 4; index++) {
    const form = {
      dialect: 'openai',
      base_url,
      model: 'hostile',
      input: { S: 'go' },
      max_steps: 100,
      tools: [{ flow: tool, name: 'again' }],
    };
    flow.use('ai_agent', {}, { form, title: `agent ${index}` });
  }
  return flow;
}

/** Attacks by agents. */
export const modelAttacks: Attack[] = [
  {
    name: 'agents that loop',
    lanes: 2,
    prepare: async (attacker) => {
      const tool = await attacker.store(textFlow());
      return await runInTurn(attacker, [agentsFlow(`${attacker.hostileUrl}/loop`, tool)]);
    },
  },
  {
    name: 'models that call half a million tools at once',
    lanes: 2,
    prepare: async (attacker) => {
      const tool = await attacker.store(textFlow());
      return await runInTurn(attacker, [agentsFlow(`${attacker.hostileUrl}/calls`, tool)]);
    },
  },
];
