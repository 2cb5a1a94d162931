import { readOptionalField, toInteger } from '../../../../types/values/conversion.ts';
import { pause } from '../../../_shared/pause.ts';
import { haltError, HandedBack, type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Hands its inputs on after a time, which counts from the node's start, whoever began it. */
export const waitNode: NodeModule = {
  definition,
  run: async ({ inputs, startTime, signal, handBack, rest }) => {
    requireInput(inputs, 'value');
    requireInput(inputs, 'wait_for');
    const end = startTime + Number(readOptionalField(inputs, 'duration_ms', toInteger('u64')) ?? 0n);
    for (let now = Date.now(); now < end; now = Date.now()) {
      if (signal.aborted) throw haltError(signal);
      if (handBack.aborted) throw new HandedBack();
      const left = end - now;
      await rest(() => pause(left, signal, handBack), end);
    }
    return {};
  },
};
