import { nodeLimits } from '../../types/limits/nodes.ts';
import { codedError } from '../../types/run_errors.ts';
import { haltError, type NodeCall, NodeError, Released } from '../engine/node.ts';

const OVERTIME_MS = nodeLimits.model_overtime_ms.value;

const tooLong = () =>
  new NodeError(codedError(
    'model_call_too_long',
    `not finished ${
      OVERTIME_MS / 1_000
    } s after the end of the time of an Edge Function; npm run worker has no such limit`,
  ));

/**
 * Makes a call that is paid, and aborts it when the run ends. A release of the run does not abort it, because the next
 * claim would pay it again. In an Edge Function it may go on for a while after the end of the slice. Then it fails, and
 * no claim begins it again.
 */
export async function paidCall<T>(
  { signal, releasing, wallEnd }: Pick<NodeCall, 'signal' | 'releasing' | 'wallEnd'>,
  call: (end: AbortSignal) => Promise<T>,
): Promise<T> {
  // Nothing is paid yet, so the next claim makes the call.
  if (releasing.aborted) throw new Released();
  const late = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const startOvertime = () => {
    timer = setTimeout(() => late.abort(), OVERTIME_MS);
  };
  wallEnd?.addEventListener('abort', startOvertime, { once: true });
  try {
    return await call(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (signal.aborted) throw haltError(signal);
    throw late.signal.aborted ? tooLong() : error;
  } finally {
    clearTimeout(timer);
    wallEnd?.removeEventListener('abort', startOvertime);
  }
}
