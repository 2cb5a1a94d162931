import { FlowBuilder } from './flow_builder.ts';

/** Makes a chain of nodes. */
export function chainFlow(length: number): FlowBuilder {
  const flow = new FlowBuilder();
  let port = flow.input('n');
  for (let count = 0; count < length; count++) port = flow.toText(port);
  flow.output('out', port);
  return flow;
}

/** Makes a loop over the numbers below the input, which are converted to texts and collected. */
export function loopFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const element = flow.foreach(flow.range(flow.input('n')));
  flow.output('out', flow.collect(flow.toText(element)));
  return flow;
}

/** Makes a flow that passes its input on after some milliseconds. */
export function waitFlow(durationMs: number): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('out', flow.wait(flow.input('n'), durationMs));
  return flow;
}

/** Makes a flow that calls another flow twice, one call after the other. */
export function callingFlow(flowId: number): FlowBuilder {
  const flow = new FlowBuilder();
  const first = flow.interflow(flowId, { n: flow.input('n') }, ['out']);
  const second = flow.interflow(flowId, { n: first.output('out') }, ['out']);
  flow.output('out', second.output('out'));
  return flow;
}

/** Makes a flow that posts to the address in its input. */
export function postingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const post = flow.use('http_request', { url: flow.input('url') }, { form: { method: 'POST' }, title: 'Post' });
  flow.output('out', post.output('body'));
  return flow;
}

/** Makes a flow that calls itself to count the Collatz steps from the input down to 1. */
export function collatzFlow(ownId: number): FlowBuilder {
  const flow = new FlowBuilder();
  const n = flow.input('n');
  const next = flow.script(
    'let u = (); let v = (); if a == 1 { u = 0 } else if a % 2 == 0 { v = a / 2 } else { v = 3 * a + 1 }',
    { a: n },
    2,
    'next',
  );
  const rest = flow.interflow(ownId, { n: next.output('v') }, ['steps']);
  const steps = flow.script(
    'if a == () { b + 1 } else { a }',
    { a: next.output('u'), b: rest.output('steps') },
    1,
    'count',
  );
  flow.output('steps', steps.output('u'));
  return flow;
}
