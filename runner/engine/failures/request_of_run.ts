import { haltError, type NodeCall, Released } from '../node.ts';

/**
 * Makes a request of a node, and aborts it when the run ends. If the request can be repeated, a release of the run also
 * aborts it, and the next claim repeats it.
 */
export async function requestOfRun<T>(
  { signal, releasing }: Pick<NodeCall, 'signal' | 'releasing'>,
  canBeginAgain: boolean,
  request: (end: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await request(canBeginAgain ? AbortSignal.any([signal, releasing]) : signal);
  } catch (error) {
    if (signal.aborted) throw haltError(signal);
    if (canBeginAgain && releasing.aborted) throw new Released();
    throw error;
  }
}
