import { setTimeout as pause } from 'node:timers/promises';
import type { Stack } from '../../dev/stack/stack.ts';
import { allAnswer } from './probe.ts';
import { makeRandom, type Random } from './random.ts';
import { sendAndCut, sendSlowly } from './raw_request.ts';
import type { Starts } from './starts.ts';
import type { FaultWindow } from './windows.ts';
import type { Workers } from './workers.ts';
import type { Standby } from '../support/standby.ts';
import type { World } from './world.ts';

/** The parts that faults can hit. */
interface FaultScene {
  stack: Stack;
  world: World;
  workers: Workers;
  starts: Starts;
  /** The standby of a soak with a failover. */
  standby: Standby | undefined;
}

interface Fault {
  /** Chooses one of the parts that this fault can hit. */
  choose?: (scene: FaultScene, random: Random) => string;
  /** The routes that may answer 503 or give no answer until everything works again. */
  excuses: (detail: string) => RegExp | null;
  /** Causes the fault. Resolves when the broken part works again. */
  happen: (scene: FaultScene, detail: string, random: Random) => Promise<void>;
}

const DATABASE_ROUTES = /^\w+ \/(rest|functions)\/v1\//;

/** The clients of one fault. */
const CLIENTS = 12;

const faults = {
  worker_killed: {
    choose: ({ workers }, random) => String(random.between(0, workers.count - 1)),
    excuses: () => null,
    happen: ({ workers }, detail) => workers.replace(Number(detail)),
  },
  function_killed: {
    choose: ({ stack }, random) => random.pick(functionParts(stack)),
    excuses: (detail) => new RegExp(`^\\w+ /functions/v1/${detail.replace('function ', '')}(/|$)`),
    happen: ({ stack }, detail) => stack.restart(detail, 'SIGKILL'),
  },
  postgrest_restarted: {
    choose: (_, random) => random.pick(['SIGKILL', 'SIGTERM']),
    excuses: () => DATABASE_ROUTES,
    happen: async ({ stack }, detail) =>
      void await Promise.all(
        ['PostgREST', 'PostgREST of the functions'].map((part) => stack.restart(part, detail as NodeJS.Signals)),
      ),
  },
  postgres_restarted: {
    // SIGQUIT is the immediate mode: sessions are cut off, and the next start recovers from the log.
    choose: () => 'SIGQUIT',
    excuses: () => DATABASE_ROUTES,
    happen: ({ stack }, detail) => stack.restart('Postgres', detail as NodeJS.Signals),
  },
  primary_lost: {
    excuses: () => DATABASE_ROUTES,
    happen: ({ standby }) => standby!.failOver(),
  },
  gateway_restarted: {
    excuses: () => /./,
    happen: ({ stack }) => stack.restart('gateway'),
  },
  slow_bodies: {
    excuses: () => null,
    happen: async ({ world, starts }, _, random) => {
      const door = { traffic: world.traffic, baseUrl: world.status.FUNCTIONS_URL };
      await Promise.all(Array.from({ length: CLIENTS }, async () => {
        const plan = await starts.plan(random);
        starts.take(plan, await sendSlowly(door, plan, random));
      }));
    },
  },
  answers_cut: {
    excuses: () => null,
    happen: async ({ world, starts }, _, random) => {
      await Promise.all(Array.from({ length: CLIENTS }, async () => {
        const plan = await starts.plan(random, { hasKey: true });
        await sendAndCut(world.status.FUNCTIONS_URL, plan, random);
        starts.take(plan, { status: null, code: 'cut', body: null });
        await starts.send(plan, random);
      }));
    },
  },
} as const satisfies Record<string, Fault>;

type FaultName = keyof typeof faults;

/** The faults of a soak. With a standby, its primary is lost once, so Postgres has no other faults. */
const kindsOf = (hasStandby: boolean): FaultName[] =>
  (Object.keys(faults) as FaultName[]).filter((name) => name !== (hasStandby ? 'postgres_restarted' : 'primary_lost'));

export const faultNames = kindsOf(false);

const functionParts = ({ parts }: Stack): string[] =>
  parts.map(({ name }) => name).filter((name) => name.startsWith('function ')).sort();

/** The milliseconds from the end of a fault to the next fault. */
const SHORTEST_CALM_MS = 300;
const LONGEST_CALM_MS = 2_000;

/**
 * Causes one fault after another until the time is over. Each kind occurs as often as the others, and at least once.
 * Returns the windows of the faults. Aborting the signal ends the series early.
 */
export async function breakThings(
  scene: FaultScene,
  seed: number,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<FaultWindow[]> {
  const random = makeRandom(seed, 'faults');
  const windows: FaultWindow[] = [];
  let kinds = kindsOf(scene.standby !== undefined);
  const fewest = kinds.length;
  let deck: FaultName[] = [];
  for (;;) {
    await pause(random.between(SHORTEST_CALM_MS, LONGEST_CALM_MS));
    if (signal.aborted || (isOver() && windows.length >= fewest)) return windows;
    if (deck.length === 0) deck = random.shuffled(kinds);
    const fault = deck.pop()!;
    if (fault === 'primary_lost') kinds = kinds.filter((kind) => kind !== fault);
    const { choose, excuses, happen }: Fault = faults[fault];
    const detail = choose?.(scene, random) ?? '';
    const window = { fault, detail, from: Date.now(), to: Number.POSITIVE_INFINITY, excuses: excuses(detail) };
    windows.push(window);
    await happen(scene, detail, random);
    await allAnswer(scene.world);
    window.to = Date.now();
  }
}
