import { setTimeout as pause } from 'node:timers/promises';
import { editSomething } from './edits.ts';
import { makeRandom, type Random } from './random.ts';
import { attend } from './runs.ts';
import type { Starts } from './starts.ts';
import type { World } from './world.ts';

/** The concurrent callers. */
const ACTORS = 10;

/** The longest pause of a caller between two actions, in milliseconds. */
const LONGEST_THOUGHT_MS = 120;

async function act(world: World, starts: Starts, random: Random): Promise<void> {
  if (!random.chance(0.5)) return await editSomething(world, random);
  const run = await starts.send(await starts.plan(random), random);
  if (run !== undefined) await attend(world, run, random);
}

/** Keeps the stack busy until the time is over. Resolves when all callers have their last answers. */
export async function generateLoad(world: World, starts: Starts, seed: number, isOver: () => boolean): Promise<void> {
  await Promise.all(Array.from({ length: ACTORS }, async (_, actor) => {
    const random = makeRandom(seed, `actor ${actor}`);
    while (!isOver()) {
      await act(world, starts, random);
      await pause(random.between(0, LONGEST_THOUGHT_MS));
    }
  }));
}
