import { readOptionalField, toInteger } from '../../../../types/value_conversion.ts';
import { haltError, HandedBack, type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** The longest time that a timer takes; beyond it, it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Ends after the time, or as soon as one of the signals is aborted. */
const pause = (durationMs: number, signals: AbortSignal[]): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(durationMs, MAX_TIMER_MS));
    for (const signal of signals) signal.addEventListener('abort', end);
  });

/** Hands its inputs on after a time, which counts from the node's start, whoever began it. */
export const waitNode: NodeModule = {
  definition,
  run: async ({ inputs, startTime, signal, handBack }) => {
    requireInput(inputs, 'value');
    requireInput(inputs, 'wait_for');
    const end = startTime + Number(readOptionalField(inputs, 'duration_ms', toInteger('u64')) ?? 0n);
    for (let now = Date.now(); now < end; now = Date.now()) {
      if (signal.aborted) throw haltError(signal);
      if (handBack.aborted) throw new HandedBack();
      await pause(end - now, [signal, handBack]);
    }
    return {};
  },
};
