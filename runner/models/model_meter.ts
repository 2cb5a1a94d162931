import type { Rpc } from '../../platform/database/rpc.ts';
import { codedError } from '../../types/run_errors.ts';
import { releasedIfPassing } from '../engine/failures/passing_error.ts';
import { type ModelMeter, NodeError } from '../engine/node.ts';

/** The usage of a run by model, as `flow_run.usage` has it. */
interface StoredUsage {
  [model: string]: { requests: number; input_tokens: number; output_tokens: number };
}

/**
 * Makes the meter of a claimed run and the runs that it calls. Only the newest claim counts, so it reports the usage of
 * the whole run so far. A report that is lost is made up for by the next one.
 */
export function makeModelMeter(
  rpc: Rpc,
  { flow_run_id, claim_number }: { flow_run_id: string; claim_number: number },
): ModelMeter {
  const claim = { flow_run_id, claim_number };
  /** Undefined until the first call has told what earlier claims have used. */
  let usage: Map<string, StoredUsage[string]> | undefined;
  return {
    begin: async () => {
      const stored = await rpc<{ usage: StoredUsage; fault: string | null }>('begin_model_call', { claim })
        .catch((error: unknown) => {
          // Nothing is paid yet, so the next claim may make the call.
          throw releasedIfPassing(error);
        });
      if (stored.fault !== null) throw new NodeError(codedError('model_limit_reached', stored.fault));
      usage ??= new Map(Object.entries(stored.usage));
    },
    end: async (model, { inputTokens, outputTokens }) => {
      usage ??= new Map();
      const before = usage.get(model) ?? { requests: 0, input_tokens: 0, output_tokens: 0 };
      usage.set(model, {
        requests: before.requests + 1,
        input_tokens: before.input_tokens + inputTokens,
        output_tokens: before.output_tokens + outputTokens,
      });
      // The answer is paid, so the node keeps it even if the report fails.
      await rpc('store_model_usage', { claim, usage: Object.fromEntries(usage) }).catch(() => {});
    },
  };
}
