import { expect, it, vi } from 'vitest';
import { Lifecycle } from './lifecycle.ts';
import type { Halt } from '../node.ts';

const haltOf = (graceMs: number, message = 'stop'): Halt => ({ status: 'stopped', message, graceMs });

/** For each signal, tells whether it is aborted. */
const told = ({ halted, cancelled, releasing }: Lifecycle) => ({
  halted: halted.aborted,
  cancelled: cancelled.aborted,
  releasing: releasing.aborted,
});

const NOTHING = { halted: false, cancelled: false, releasing: false };

it('a tree that is released is neither halted nor cancelled', () => {
  const lifecycle = new Lifecycle(() => {});
  expect(told(lifecycle)).toEqual(NOTHING);
  lifecycle.release();
  lifecycle.release();
  expect(lifecycle.state).toBe('releasing');
  expect(told(lifecycle)).toEqual({ ...NOTHING, releasing: true });
});

it('a halt with grace cancels running nodes when the grace is over, and calls its listener once', () => {
  vi.useFakeTimers();
  try {
    const onHalt = vi.fn();
    const lifecycle = new Lifecycle(onHalt);
    lifecycle.haltWith(haltOf(50));
    lifecycle.haltWith(haltOf(0, 'a second one'));
    expect(lifecycle.state).toBe('halted');
    expect(told(lifecycle)).toEqual({ ...NOTHING, halted: true });
    vi.advanceTimersByTime(50);
    expect(lifecycle.state).toBe('cancelled');
    expect(lifecycle.cancelled.reason).toEqual(haltOf(50));
    expect(onHalt).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});

it.each<[string, (lifecycle: Lifecycle) => void]>([
  ['halted while it is released', (lifecycle) => {
    lifecycle.release();
    lifecycle.haltWith(haltOf(60_000));
  }],
  ['released in the grace of a halt', (lifecycle) => {
    lifecycle.haltWith(haltOf(60_000));
    lifecycle.release();
  }],
])('a tree that is %s has no grace', (_, act) => {
  const lifecycle = new Lifecycle(() => {});
  act(lifecycle);
  expect(lifecycle.state).toBe('cancelled');
  expect(told(lifecycle)).toEqual({ halted: true, cancelled: true, releasing: true });
});

it('when a listener of the signal `releasing` is called, a halted tree is already cancelled', () => {
  const lifecycle = new Lifecycle(() => {});
  const seen: boolean[] = [];
  lifecycle.releasing.addEventListener('abort', () => seen.push(lifecycle.cancelled.aborted));
  lifecycle.haltWith(haltOf(60_000));
  lifecycle.release();
  expect(seen).toEqual([true]);
});

it('an ended tree aborts no further signals, and ends only once', () => {
  vi.useFakeTimers();
  try {
    const lifecycle = new Lifecycle(() => {});
    lifecycle.haltWith(haltOf(50));
    lifecycle.end();
    vi.advanceTimersByTime(50);
    lifecycle.release();
    lifecycle.haltWith(haltOf(0));
    expect(told(lifecycle)).toEqual({ ...NOTHING, halted: true });
    expect(() => lifecycle.end()).toThrow('there is no transition for end in the state ended');
  } finally {
    vi.useRealTimers();
  }
});
