/**
 * Makes the function that starts a part for its first request, because loading it takes CPU time at each start of a
 * stack. It resolves with the part's socket. After a failure the next request tries again.
 */
export function startedOnDemand(
  { name, socketPath, boot, log }: {
    name: string;
    socketPath: string;
    boot: () => Promise<unknown>;
    log: (line: string) => void;
  },
): () => Promise<string> {
  let starting: Promise<string> | undefined;
  return async () =>
    await (starting ??= boot().then(() => socketPath, (error: Error) => {
      starting = undefined;
      log(`${name} could not be started: ${error.message}`);
      throw error;
    }));
}
