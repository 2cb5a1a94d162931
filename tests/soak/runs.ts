import { setTimeout as pause } from 'node:timers/promises';
import { signMessage } from '../support/actions.ts';
import type { Random } from './random.ts';
import type { StartedRun } from './starts.ts';
import { watchRun } from './watching.ts';
import { bearer, callFunction, type World } from './world.ts';

/** How often a request is sent until it gets an answer that is not 503. */
const TRIES = 20;

/** Repeats a request until it gets an answer that no fault has caused. */
async function persist(ask: () => ReturnType<typeof callFunction>, random: Random) {
  for (let tries = 1;; tries++) {
    const answer = await ask();
    if ((answer.status !== null && answer.status !== 503) || tries === TRIES) return answer;
    await pause(random.between(100, 600));
  }
}

/** If the run asks the buyer for a signature, the buyer signs. */
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

/** If the run waits for an input, somebody answers or cancels it. Sometimes two people do so at the same time. */
async function answer(world: World, run: StartedRun, random: Random): Promise<void> {
  const { API_URL, PUBLISHABLE_KEY } = world.status;
  const headers = { apikey: PUBLISHABLE_KEY, 'x-flow-run-token': run.token };
  const query = `select=url&root_flow_run_id=eq.${run.id}`;
  let url: string | undefined;
  for (let tries = 0; tries < 40 && url === undefined; tries++) {
    const found = await world.traffic.send('pending inputs', `${API_URL}/rest/v1/pending_inputs?${query}`, { headers });
    url = Array.isArray(found.body) ? found.body[0]?.url : undefined;
    await pause(random.between(50, 400));
  }
  if (url === undefined) return;
  const once = async (): Promise<void> => {
    const isCancel = random.chance(0.2);
    const key = { 'idempotency-key': String(random.between(0, 1_000_000)) };
    await persist(() =>
      world.traffic.send('answer', url, {
        method: isCancel ? 'DELETE' : 'POST',
        headers: { ...key, ...(!isCancel && { 'content-type': 'application/json' }) },
        ...(!isCancel && { body: '{"values": "yes"}' }),
      }), random);
  };
  if (random.chance(0.3)) await pause(random.between(0, 20_000));
  await Promise.all(random.chance(0.2) ? [once(), once()] : [once()]);
}

async function stop(world: World, run: StartedRun, random: Random): Promise<void> {
  await pause(random.between(0, 400));
  run.record.isStopAsked = true;
  await persist(
    () => callFunction(world, 'stop', `flow/stop/${run.id}`, bearer(run.token), { reason: 'soak' }),
    random,
  );
  // Only runs without a signer are redriven. Such runs make no payment that the auditor would have to find on the
  // chain.
  if (run.deployment !== undefined && run.signer === undefined && random.chance(0.5)) await redrive(world, run, random);
}

/**
 * The owner redrives the run, at once or after its end. Some owners send two requests at the same time, and one of them
 * is refused.
 */
async function redrive(world: World, run: StartedRun, random: Random): Promise<void> {
  const { owner } = run.deployment!.flow;
  await pause(random.between(0, 1_000));
  const ask = () =>
    persist(() => callFunction(world, 'redrive', `flow/redrive/${run.id}`, bearer(owner.token)), random);
  await Promise.all(random.chance(0.2) ? [ask(), ask()] : [ask()]);
}

/** Does what a caller does with a started run. */
export async function attend(world: World, run: StartedRun, random: Random): Promise<void> {
  // Some signature requests get no answer, so that their runs wait.
  if (run.signer !== undefined && random.chance(0.6)) return await sign(world, run, random);
  if (run.record.flowKind === 'ask' && random.chance(0.8)) return await answer(world, run, random);
  if (random.chance(run.record.flowKind === 'sleep' ? 0.6 : 0.1)) return await stop(world, run, random);
  if (random.chance(0.15)) return await watchRun(world, run, random);
  if (random.chance(0.35)) {
    const credential = random.chance(0.5) || run.caller.userId === undefined ? bearer(run.token) : run.caller.headers;
    // Some callers wait briefly, like a page that is soon closed. For a run that sleeps, all callers wait briefly.
    const seconds = run.record.flowKind === 'sleep' || run.signer !== undefined ? 1 : random.pick([0, 1, 10]);
    await callFunction(world, 'output', `flow/output/${run.id}?wait=${seconds}`, credential);
  }
}
