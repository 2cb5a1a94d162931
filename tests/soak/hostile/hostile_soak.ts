import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { projectFunctionsDir } from '../../../supabase/local/functions.ts';
import type { Stack } from '../../../supabase/local/stack.ts';
import { makeOwnStack } from '../../support/own_stack.ts';
import { makeFindings } from '../findings.ts';
import type { SoakOptions } from '../options.ts';
import type { AttackTally, FromAttacker, ToAttacker } from './attacker_process.ts';
import { type HostileReport, judgeHostility, makeHostileReport } from './hostile_report.ts';
import { watchMemory } from './process_memory.ts';
import { makeVictim } from './victim.ts';

/** As long is the calm before that the attack is compared with. */
const CALM_MS = 20_000;

/** Runs of the victim before anything is measured. */
const WARM_UP_MS = 3_000;

/** The attacker in a process of its own. */
function startAttacker() {
  const script = fileURLToPath(new URL('./attacker_process.ts', import.meta.url));
  const child = fork(script, { execArgv: ['--import', 'tsx'] });
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
    async prepare(status: Stack['status']) {
      const prepared = hear('prepared');
      say({ type: 'prepare', status });
      await prepared;
    },
    /** Strikes until it is stopped; gives what came of it. */
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

async function attackStack(stack: Stack, { seed, minutes }: SoakOptions, signal: AbortSignal): Promise<HostileReport> {
  const attacker = startAttacker();
  const memory = watchMemory(stack);
  const stopEarly = () => attacker.stop();
  try {
    const victim = await makeVictim(stack.status);
    await attacker.prepare(stack.status);
    await victim.live(WARM_UP_MS, signal);
    memory.takePeaks();
    const calm = await victim.live(CALM_MS, signal);
    const calmMemory = memory.takePeaks();
    signal.addEventListener('abort', stopEarly);
    const striking = attacker.strike();
    const attacked = await victim.live(minutes * 60_000, signal);
    attacker.stop();
    const tallies = await striking;
    const findings = makeFindings();
    const given = {
      seed,
      minutes,
      calm,
      attacked,
      memory: { calm: calmMemory, attacked: memory.takePeaks() },
      tallies,
    };
    judgeHostility(given, findings);
    return makeHostileReport(given, findings);
  } finally {
    signal.removeEventListener('abort', stopEarly);
    memory.stop();
    attacker.kill();
  }
}

/** Boots a stack, has one user attack it in every known way at once, and says what another user feels of it. */
export async function soakHostile(options: SoakOptions, signal: AbortSignal): Promise<HostileReport> {
  const own = await makeOwnStack('hostile');
  try {
    const stack = await own.boot({
      functionsDir: projectFunctionsDir,
      watch: false,
      postgresSettings: { fsync: 'off' },
      onCrash: (description) => console.error(`A part of the stack ended by itself: ${description}`),
    });
    return await attackStack(stack, options, signal);
  } finally {
    await own.remove();
  }
}
