import { setMaxListeners } from 'node:events';
import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { StackStatus } from '../../../platform/local_stack/running_stacks.ts';
import { makeAttacker, type Outcome } from './attacker.ts';
import type { Attack } from './attack.ts';
import { chooseAttacks } from './attacks.ts';
import { startHostileServer } from './hostile_server.ts';

/** The result of one attack. */
export interface AttackTally {
  name: string;
  /** The answers by status. */
  statuses: { [status: string]: number };
  /** The bytes of the largest answer. */
  largestAnswer: number;
  /** The milliseconds of the slowest answer. */
  slowest: number;
}

/** The messages to and from this process. */
export type ToAttacker =
  | { type: 'prepare'; status: StackStatus; pressure: number; only: string | undefined }
  | { type: 'strike' }
  | { type: 'stop' };
export type FromAttacker =
  | { type: 'prepared' }
  | { type: 'ended'; tallies: AttackTally[] }
  | { type: 'failed'; error: string };

/** The pause between two strikes of a lane. Without the pause, the soak would measure how fast the attacker is. */
const PAUSE_MS = 50;

// The process represents other machines, so it must take no CPU time from the stack.
setPriority(19);

const tell = (message: FromAttacker) => process.send?.(message);
const stop = new AbortController();
// Each open connection of an attack has a listener for the end, so Node must not warn about their number.
setMaxListeners(0, stop.signal);
const prepared: { attack: Attack; strike: () => Promise<Outcome>; tally: AttackTally }[] = [];

async function prepare({ status, pressure, only }: Extract<ToAttacker, { type: 'prepare' }>): Promise<void> {
  const server = await startHostileServer();
  const attacker = await makeAttacker(status, server.url, stop.signal);
  for (const attack of chooseAttacks(pressure, only)) {
    const tally = { name: attack.name, statuses: {}, largestAnswer: 0, slowest: 0 };
    prepared.push({ attack, strike: await attack.prepare(attacker), tally });
  }
}

async function strikeOnAndOn({ attack, strike, tally }: (typeof prepared)[number]): Promise<void> {
  let left = attack.strikes ?? Infinity;
  const lane = async () => {
    while (left-- > 0 && !stop.signal.aborted) {
      const began = performance.now();
      const { status, bytes } = await strike();
      if (stop.signal.aborted) return;
      tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
      tally.largestAnswer = Math.max(tally.largestAnswer, bytes);
      tally.slowest = Math.max(tally.slowest, performance.now() - began);
      await pause(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: attack.lanes }, lane));
}

// The process that started this process has ended.
process.on('disconnect', () => process.exit());
process.on('message', async (message: ToAttacker) => {
  try {
    if (message.type === 'prepare') {
      await prepare(message);
      tell({ type: 'prepared' });
    } else if (message.type === 'strike') {
      await Promise.all(prepared.map(strikeOnAndOn));
      tell({ type: 'ended', tallies: prepared.map(({ tally }) => tally) });
    } else stop.abort();
  } catch (error) {
    tell({ type: 'failed', error: String(error) });
  }
});
