import type { Platform } from '../../functions/_shared/edge_platform.ts';

const environment: Record<string, string> = {
  SUPABASE_URL: 'http://project',
  SUPABASE_ANON_KEY: 'anon',
  SUPABASE_SERVICE_ROLE_KEY: 'service',
  RUNNER_DISABLED: '1',
};

/** A call of a database function that has no answer yet. */
interface Call {
  name: string;
  args: Record<string, unknown>;
  answer: () => void;
}

/** A platform for tests of waiting. Its database answers a call only when the test tells it to. */
export interface AskedDatabase {
  platform: Platform;
  /** The functions that were called. */
  asked: string[];
  /** Unanswered calls, the oldest first. */
  underWay: Call[];
  /** Waits until the code under test has reacted. */
  settle: () => Promise<void>;
  answer: (index: number) => Promise<void>;
  answerNext: () => Promise<void>;
  answerAll: () => Promise<void>;
}

/** Makes a platform with such a database. `result` computes the results of the database functions. */
export function askDatabase(result: (name: string, args: Record<string, unknown>) => unknown): AskedDatabase {
  const asked: string[] = [];
  const underWay: Call[] = [];
  const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
  const answer = async (index: number) => {
    underWay.splice(index, 1)[0]!.answer();
    await settle();
  };
  return {
    platform: {
      env: (name) => environment[name],
      fetch: (url, init) => {
        const name = String(url).split('/rpc/')[1]!;
        const args = JSON.parse(init!.body as string) as Record<string, unknown>;
        asked.push(name);
        return new Promise((resolve) =>
          underWay.push({ name, args, answer: () => resolve(Response.json(result(name, args))) })
        );
      },
      waitUntil: () => {},
    },
    asked,
    underWay,
    settle,
    answer,
    answerNext: () => answer(0),
    answerAll: async () => {
      for (await settle(); underWay.length > 0;) await answer(0);
    },
  };
}
