import { FlowBuilder, textFlow } from '../../support/flow_builder.ts';
import { type Attack, runInTurn } from './attack.ts';

/** A flow with agents whose model always calls the tool. */
function loopingFlow(hostileUrl: string, tool: number): FlowBuilder {
  const flow = new FlowBuilder();
  for (let index = 0; index < 4; index++) {
    const form = {
      dialect: 'openai',
      base_url: `${hostileUrl}/loop`,
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
      return await runInTurn(attacker, [loopingFlow(attacker.hostileUrl, tool)]);
    },
  },
];
