import { codedError } from '../../types/run_errors.ts';
/** How much the nodes of a run, and of the runs that it called, may still put out. */
export interface OutputBudget {
  /** Takes so many bytes. Returns an error when they are too many, and takes none. */
  take: (bytes: number) => string | undefined;
  /** Bytes taken so far, by earlier claims as well. */
  used: () => number;
}

export interface OutputBudgetOptions {
  limit: number;
  /** Bytes that earlier claims took. */
  used: number;
  /** Called with the number of bytes that were taken. */
  onTake?: (bytes: number) => void;
}

export function makeOutputBudget({ limit, used, onTake }: OutputBudgetOptions): OutputBudget {
  let taken = used;
  return {
    take: (bytes) => {
      if (taken + bytes > limit) {
        return codedError(
          'run_outputs_limit',
          `the outputs of all nodes of a run may hold ${limit} bytes; ` +
            `with these outputs they would hold ${taken + bytes}`,
        );
      }
      taken += bytes;
      onTake?.(bytes);
      return undefined;
    },
    used: () => taken,
  };
}
