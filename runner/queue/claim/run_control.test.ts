import { expect, it } from 'vitest';
import { makeRunControl, type OwnRunControl } from './run_control.ts';

const told = ({ halt, releasing, stopping }: OwnRunControl) => ({
  halt: halt.aborted,
  releasing: releasing.aborted,
  stopping: stopping.aborted,
});

const stop = (control: OwnRunControl) => control.stop({ reason: 'enough', timeout_millies: 50 });

it.each<[string, (control: OwnRunControl) => void, object]>([
  ['undisturbed', () => {}, { halt: false, releasing: false, stopping: false }],
  ['released', (control) => control.release(), { halt: false, releasing: true, stopping: false }],
  ['stopped', stop, { halt: true, releasing: false, stopping: true }],
  ['failed', (control) => control.fail('limit'), { halt: true, releasing: false, stopping: false }],
  [
    'released and stopped',
    (control) => {
      control.release();
      stop(control);
    },
    { halt: true, releasing: true, stopping: true },
  ],
  ['lost', (control) => control.lose(), { halt: true, releasing: true, stopping: false }],
])('the signals of a run that is %s', (state, act, signals) => {
  const control = makeRunControl();
  act(control);
  expect(control.isLost()).toBe(state === 'lost');
  expect(told(control)).toEqual(signals);
});

it('only the first halt counts', () => {
  const control = makeRunControl();
  stop(control);
  control.fail('limit');
  control.lose();
  expect(control.halt.reason).toEqual({ status: 'stopped', message: 'canceled by user enough', graceMs: 50 });
});
