import { expect, it } from 'vitest';
import { type Demand, makeRunControl, type OwnRunControl } from './run_control.ts';

const told = ({ halt, releasing, stopping }: OwnRunControl) => ({
  halt: halt.aborted,
  releasing: releasing.aborted,
  stopping: stopping.aborted,
});

const stop = (control: OwnRunControl) => control.stop({ reason: 'enough', timeout_millies: 50 });

it.each<[string, (control: OwnRunControl) => void, Demand, object]>([
  ['undisturbed', () => {}, 'nothing', { halt: false, releasing: false, stopping: false }],
  ['released', (control) => control.release(), 'release', { halt: false, releasing: true, stopping: false }],
  ['stopped', stop, 'halt', { halt: true, releasing: false, stopping: true }],
  ['failed', (control) => control.fail('limit'), 'halt', { halt: true, releasing: false, stopping: false }],
  [
    'released and stopped',
    (control) => {
      control.release();
      stop(control);
    },
    'halt_now',
    { halt: true, releasing: true, stopping: true },
  ],
  ['lost', (control) => control.lose(), 'nothing_more', { halt: true, releasing: true, stopping: false }],
])('the signals of a run that is %s match its demand', (_, act, demand, signals) => {
  const control = makeRunControl();
  act(control);
  expect(control.demand()).toBe(demand);
  expect(control.isLost()).toBe(demand === 'nothing_more');
  expect(told(control)).toEqual(signals);
});

it('only the first halt counts', () => {
  const control = makeRunControl();
  stop(control);
  control.fail('limit');
  control.lose();
  expect(control.halt.reason).toEqual({ status: 'stopped', message: 'canceled by user enough', graceMs: 50 });
});
