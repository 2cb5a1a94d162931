import type { Part } from './part.ts';
import { StackError } from '../stack_error.ts';

/**
 * The error of a stack that can't continue. The message has the name of the part that ended, the way it ended, and its
 * last lines. If the stack's folder was deleted, the message is empty.
 */
export class PartCrash extends StackError {
  override name = 'PartCrash';
}

/** The processes of one stack. */
interface PartSet {
  readonly parts: readonly Part[];
  /**
   * Adds a part, which replaces a stopped part of the same name. After `halt` is aborted, an added part is stopped at
   * once.
   */
  keep: (part: Part) => Part;
  /** Stops the part of that name, by the given signal or else by its own stop signal. */
  stop: (name: string, signal?: NodeJS.Signals) => Promise<void>;
  /** Stops the parts that use the database: all parts except the first, which is the database. */
  stopUsers: () => Promise<void>;
  stopDatabase: () => Promise<void>;
}

/** Makes an empty set. `onEnd` is called with each part that ends without being stopped. */
export function makePartSet(halt: AbortController, onEnd: (part: Part) => void): PartSet {
  const parts: Part[] = [];
  return {
    parts,
    keep(part) {
      const former = parts.findIndex(({ name }) => name === part.name);
      parts.splice(former === -1 ? parts.length : former, 1, part);
      if (halt.signal.aborted) void part.stop();
      void part.exited.then(() => {
        if (!part.isStopping() && !halt.signal.aborted) onEnd(part);
      });
      return part;
    },
    stop: async (name, signal) => await parts.find((part) => part.name === name)?.stop(signal),
    stopUsers: async () => void await Promise.all(parts.slice(1).map((part) => part.stop())),
    stopDatabase: async () => await parts[0]?.stop(),
  };
}

/** Waits for all tasks. If one fails, halts the other tasks, waits for their ends, and rejects. */
export async function runTogether<T extends unknown[]>(
  tasks: [...{ [I in keyof T]: Promise<T[I]> }],
  halt: AbortController,
): Promise<T> {
  try {
    return await Promise.all(tasks) as T;
  } catch (error) {
    halt.abort(error);
    await Promise.allSettled(tasks);
    throw error;
  }
}
