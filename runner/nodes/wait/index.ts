import { readOptionalField, toInteger } from '../../../types/values/conversion.ts';
import { pause } from '../../../platform/pause.ts';
import { haltError, type NodeModule, Released, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Outputs its inputs after a time. The time counts from the begin of the node execution, even if that was in an earlier
 * claim.
 */
export const waitNode: NodeModule = {
  definition,
  run: async ({ inputs, startTime, signal, releasing, rest }) => {
    requireInput(inputs, 'value');
    requireInput(inputs, 'wait_for');
    const end = startTime + Number(readOptionalField(inputs, 'duration_ms', toInteger('u64')) ?? 0n);
    for (let now = Date.now(); now < end; now = Date.now()) {
      if (signal.aborted) throw haltError(signal);
      if (releasing.aborted) throw new Released();
      const left = end - now;
      await rest(() => pause(left, signal, releasing), end);
    }
    return {};
  },
};
