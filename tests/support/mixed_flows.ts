import { FlowBuilder } from './flow_builder.ts';

/** A chain of nodes. */
export function chainFlow(length: number): FlowBuilder {
  const flow = new FlowBuilder();
  let port = flow.input('n');
  for (let count = 0; count < length; count++) port = flow.toText(port);
  flow.output('out', port);
  return flow;
}

/** A loop over the numbers below the input, each as text, gathered again. */
export function loopFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const range = flow.node('range', { inputs: ['start', 'end', 'step_by?'], outputs: ['result'], form: { start: 0 } });
  const each = flow.node('foreach', { inputs: ['array'], outputs: ['element'] });
  const gather = flow.node('collect', { inputs: ['element?'], outputs: ['array'] });
  flow.connect(flow.input('n'), range.input('end')).connect(range.output('result'), each.input('array'));
  flow.connect(flow.toText(each.output('element')), gather.input('element'));
  flow.output('out', gather.output('array'));
  return flow;
}

/** Hands its input on after some milliseconds. */
export function waitFlow(durationMs: number): FlowBuilder {
  const flow = new FlowBuilder();
  const pause = flow.node('wait', {
    inputs: ['value»', 'wait_for»', 'duration_ms?'],
    form: { duration_ms: durationMs, wait_for: true },
  });
  flow.connect(flow.input('n'), pause.input('value'));
  flow.output('out', pause.passthrough('value'));
  return flow;
}

/** Calls another flow twice, one call after the other. */
export function callingFlow(flowId: number): FlowBuilder {
  const flow = new FlowBuilder();
  const call = () => flow.node('interflow', { inputs: ['n'], outputs: ['out'], form: { id: flowId } });
  const [first, second] = [call(), call()];
  flow.connect(flow.input('n'), first.input('n')).connect(first.output('out'), second.input('n'));
  flow.output('out', second.output('out'));
  return flow;
}

/** Posts to the address that is its input. */
export function postingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const post = flow.node('http_request', {
    inputs: ['url', 'method?'],
    outputs: ['body', 'headers'],
    form: { method: 'POST' },
    title: 'Post',
  });
  flow.connect(flow.input('url'), post.input('url'));
  flow.output('out', post.output('body'));
  return flow;
}
