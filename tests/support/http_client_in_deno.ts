import process from 'node:process';
import { makeHttpClient } from '../../runner/reach/http_client.ts';

/**
 * Makes the requests of its argument, `{ ca, requests: {url, answers?, timeoutMs?}[] }`. A host name resolves to each
 * of `answers` in turn. Only 127.0.0.1 is allowed. Prints the results as JSON: a status with a body, or an error.
 */
interface Scenario {
  url: string;
  answers?: string[];
  timeoutMs?: number;
}
// SAFETY: only runner/reach/deno.test.ts calls this.
const { ca, requests } = JSON.parse(process.argv[2] ?? '') as { ca: string; requests: Scenario[] };

const outcomes = [];
for (const { url, answers = ['127.0.0.1'], timeoutMs = 5_000 } of requests) {
  const left = [...answers];
  const client = makeHttpClient({
    ca,
    timeoutMs,
    maxResponseBytes: 100_000,
    isAllowed: (address) => address === '127.0.0.1',
    resolve: () => Promise.resolve([left.shift() ?? 'asked again']),
  });
  try {
    const signal = new AbortController().signal;
    const body = new TextEncoder().encode('sent');
    const response = await client.request({ method: 'POST', url, headers: [], body, signal });
    outcomes.push([response.status, new TextDecoder().decode(response.body)]);
  } catch (error) {
    outcomes.push(String(error));
  }
}
console.log(JSON.stringify(outcomes));
