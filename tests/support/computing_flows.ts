import { FlowBuilder } from './flow_builder.ts';

/** An expression that takes some milliseconds to parse. */
const EXPRESSION = `[${'a.b[0] & "c", '.repeat(60)}1]`;

/** A flow of different scripts that take some milliseconds each. */
export function scriptsFlow(count: number): FlowBuilder {
  const flow = new FlowBuilder();
  for (let index = 0; index < count; index++) {
    const source = `let sum = ${index}; for (let i = 0; i < 20_000; i++) sum += i; return sum;`;
    flow.node('javascript', { form: { source }, outputs: ['out'] });
  }
  return flow;
}

/** A flow with different expressions on its edges. */
export function expressionsFlow(count: number): FlowBuilder {
  const flow = new FlowBuilder();
  for (let index = 0; index < count; index++) {
    flow.toText({ ...flow.json(index), expression: `${EXPRESSION} ~> $append(${index})` });
  }
  return flow;
}
