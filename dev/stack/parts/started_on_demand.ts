/**
 * Makes a function that starts a part at its first request, because loading the part takes CPU time. The function
 * resolves with the part's socket. After a failure, the next request starts the part again.
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
