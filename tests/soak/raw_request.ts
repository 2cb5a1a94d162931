import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from './random.ts';
import type { StartPlan } from './starts.ts';
import { type Answer, ANSWER_TIMEOUT_MS, connectionError, exchangeOf, readJson, type Traffic } from './traffic.ts';

/** Opens a POST whose bytes are sent by hand. */
function open(baseUrl: string, plan: StartPlan, bytes: Buffer): ClientRequest {
  const headers = { ...plan.headers, 'content-type': 'application/json', 'content-length': bytes.length };
  return request(`${baseUrl}/${plan.path}`, { method: 'POST', headers, agent: false, timeout: ANSWER_TIMEOUT_MS });
}

const bytesOf = (plan: StartPlan): Buffer => Buffer.from(JSON.stringify(plan.body));

async function answerOf(asked: ClientRequest): Promise<{ status: number; headers: Headers; body: unknown }> {
  const [response] = await once(asked, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, headers: new Headers(response.headers), body: readJson(text) };
}

/** Sends a start a few bytes at a time, like a client on a slow line. */
export async function sendSlowly(
  { traffic, baseUrl }: { traffic: Traffic; baseUrl: string },
  plan: StartPlan,
  random: Random,
): Promise<Answer> {
  const record = { kind: plan.kind, route: `POST ${new URL(`${baseUrl}/${plan.path}`).pathname}`, from: Date.now() };
  const bytes = bytesOf(plan);
  const asked = open(baseUrl, plan, bytes);
  const answered = answerOf(asked);
  // If the request fails, the code below handles that after all bytes are sent.
  answered.catch(() => {});
  asked.on('timeout', () => asked.destroy());
  try {
    for (let sent = 0; sent < bytes.length;) {
      const next = Math.min(bytes.length, sent + random.between(5, 40));
      asked.write(bytes.subarray(sent, next));
      sent = next;
      await pause(random.between(20, 150));
    }
    asked.end();
    const { status, headers, body } = await answered;
    const exchange = exchangeOf(record, status, headers, body);
    traffic.record(exchange);
    return { status, code: exchange.code, body };
  } catch (error) {
    const code = connectionError(error);
    traffic.record({ ...record, to: Date.now(), status: null, code, unclean: null });
    return { status: null, code, body: null };
  }
}

/** Sends a start and breaks the connection: while it sends, while it waits, or when the answer begins. */
export async function sendAndCut(baseUrl: string, plan: StartPlan, random: Random): Promise<void> {
  const bytes = bytesOf(plan);
  const asked = open(baseUrl, plan, bytes);
  // This function itself causes the error.
  asked.on('error', () => {});
  const when = random.weighted({ sending: 1, waiting: 3, answered: 3 });
  if (when === 'sending') {
    asked.write(bytes.subarray(0, random.between(1, bytes.length - 1)));
    await pause(random.between(0, 50));
  } else {
    asked.end(bytes);
    const answer = new Promise((resolve) => asked.once('response', resolve).once('close', resolve));
    await Promise.race([answer, ...(when === 'waiting' ? [pause(random.between(0, 40))] : [])]);
  }
  asked.destroy();
}
