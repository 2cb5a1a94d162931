import process from 'node:process';
import { makeFetch } from '../../runner/reach/fetch.ts';
import { makeHttpClient } from '../../runner/reach/http_client.ts';

// Reads the first event of /events, then requests /go, which lets the server send the second event. Prints both events.
const [base = ''] = process.argv.slice(2);
const http = makeHttpClient({ timeoutMs: 10_000, maxResponseBytes: 100_000, isAllowed: () => true });
const fetch = makeFetch(http, { signal: new AbortController().signal });
const { body } = await fetch(`${base}/events`, { method: 'POST', body: 'sent' });
const events: string[] = [];
for await (const piece of body ?? []) {
  events.push(new TextDecoder().decode(piece));
  if (events.length === 1) await (await fetch(`${base}/go`)).text();
}
console.log(JSON.stringify(events));
