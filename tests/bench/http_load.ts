import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { typescriptLoader } from '../../dev/stack/paths.ts';
import type { HttpCall } from './http_client.ts';
import type { LoadResult } from './load.ts';

/** A load that the generator puts on a server. */
export interface HttpLoad extends HttpCall {
  connections: number;
  durationMs: number;
}

/** The generator's answer. */
export type HttpLoadAnswer = { result: LoadResult } | { error: string };

/** Puts load on a server from a separate process, because the gateway of the stack runs in this process. */
interface HttpLoadGenerator {
  /** Runs one load at a time. */
  run: (load: HttpLoad) => Promise<LoadResult>;
  close: () => void;
}

export function startHttpLoadGenerator(): HttpLoadGenerator {
  const script = fileURLToPath(new URL('./http_load_process.ts', import.meta.url));
  const child = fork(script, { execArgv: ['--import', typescriptLoader] });
  const exited = once(child, 'exit').then(([code]): HttpLoadAnswer => ({ error: `the load generator ended: ${code}` }));
  return {
    run: async (load) => {
      const answered = new Promise<HttpLoadAnswer>((resolve) =>
        child.once('message', resolve as (message: unknown) => void)
      );
      child.send(load);
      const answer = await Promise.race([answered, exited]);
      if ('error' in answer) throw new Error(answer.error);
      return answer.result;
    },
    close: () => void child.kill(),
  };
}
