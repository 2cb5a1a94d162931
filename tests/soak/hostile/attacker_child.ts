import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { typescriptLoader } from '../../../dev/stack/paths.ts';
import type { AttackTally, FromAttacker, ToAttacker } from './attacker_process.ts';

/** Starts the attacker in a separate process. */
export function startAttacker() {
  const script = fileURLToPath(new URL('./attacker_process.ts', import.meta.url));
  const child = fork(script, { execArgv: ['--import', typescriptLoader] });
  const exited = once(child, 'exit').then(([code]): FromAttacker => ({ type: 'failed', error: `it ended: ${code}` }));
  const say = (message: ToAttacker) => void child.send(message);
  const hear = async (type: 'prepared' | 'ended'): Promise<FromAttacker> => {
    const message = await Promise.race([once(child, 'message').then(([told]) => told as FromAttacker), exited]);
    if (message.type !== type) {
      throw new Error(`the attacker failed: ${message.type === 'failed' ? message.error : message.type}`);
    }
    return message;
  };
  return {
    pid: child.pid,
    async prepare(given: Omit<Extract<ToAttacker, { type: 'prepare' }>, 'type'>) {
      const prepared = hear('prepared');
      say({ type: 'prepare', ...given });
      await prepared;
    },
    /** Attacks until it is stopped, and returns the results. */
    async strike(): Promise<AttackTally[]> {
      const ended = hear('ended');
      say({ type: 'strike' });
      const message = await ended;
      return message.type === 'ended' ? message.tallies : [];
    },
    stop: () => say({ type: 'stop' }),
    kill: () => void child.kill('SIGKILL'),
  };
}
