import { setTimeout as pause } from 'node:timers/promises';
import { signMessage } from '../support/actions.ts';
import type { Random } from './random.ts';
import type { StartedRun } from './starts.ts';
import { bearer, callFunction, type World } from './world.ts';

/** How often something is asked again that was not answered, or with 503. */
const TRIES = 20;

/** Asks until an answer comes that is none of a fault. */
async function persist(ask: () => ReturnType<typeof callFunction>, random: Random) {
  for (let tries = 1;; tries++) {
    const answer = await ask();
    if ((answer.status !== null && answer.status !== 503) || tries === TRIES) return answer;
    await pause(random.between(100, 600));
  }
}

/** The buyer signs, if the run comes to ask for it. */
async function sign(world: World, run: StartedRun, random: Random): Promise<void> {
  const { signer } = run;
  if (signer === undefined) return;
  const asked = await persist(
    () => callFunction(world, 'signature request', `flow/signature_request/${run.id}?wait=10`, bearer(run.token)),
    random,
  );
  if (asked.status !== 200) return;
  const answer = { id: asked.body.id, signature: signMessage(asked.body.message, signer) };
  await persist(() => callFunction(world, 'submit', 'signature/submit', bearer(run.token), answer), random);
}

async function stop(world: World, run: StartedRun, random: Random): Promise<void> {
  await pause(random.between(0, 400));
  run.record.isStopAsked = true;
  await persist(
    () => callFunction(world, 'stop', `flow/stop/${run.id}`, bearer(run.token), { reason: 'soak' }),
    random,
  );
}

/** What a caller does with a run that it has started. */
export async function attend(world: World, run: StartedRun, random: Random): Promise<void> {
  // Some are left open: their runs wait.
  if (run.signer !== undefined && random.chance(0.6)) return await sign(world, run, random);
  if (random.chance(run.record.flowKind === 'sleep' ? 0.6 : 0.1)) return await stop(world, run, random);
  if (random.chance(0.35)) {
    const credential = random.chance(0.5) || run.caller.userId === undefined ? bearer(run.token) : run.caller.headers;
    // Some wait as long as a page does that is left soon; sleepers nobody waits for.
    const seconds = run.record.flowKind === 'sleep' || run.signer !== undefined ? 1 : random.pick([0, 1, 10]);
    await callFunction(world, 'output', `flow/output/${run.id}?wait=${seconds}`, credential);
  }
}
