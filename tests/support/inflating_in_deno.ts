import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import { makeBodyWriter } from '../../runner/reach/response_body.ts';

// Inflates bodies in parallel. Each body is given in one piece. Prints how often timers ran meanwhile, and the number
// of inflated bytes.
const BODIES = 8;
const INFLATED_BYTES = 8 * 1_048_576;

const body = gzipSync(Buffer.alloc(INFLATED_BYTES));
let turns = 0;
const timer = setInterval(() => turns++, 0);
const bodies = await Promise.all(Array.from({ length: BODIES }, async () => {
  const writer = makeBodyWriter({ 'content-encoding': 'gzip' }, INFLATED_BYTES, () => undefined);
  await writer.write(body);
  return await writer.end();
}));
clearInterval(timer);
console.log(JSON.stringify({ turns, bytes: bodies.map(({ length }) => length) }));
