import { parseArgs } from 'node:util';
import { startChain } from './server.ts';
import { READY_TEXT } from './part.ts';

/** Serves a chain on a port, as a part of the stack. */
const { values } = parseArgs({ options: { port: { type: 'string' }, stack: { type: 'string' } } });
await startChain({ port: Number(values.port) });
console.log(READY_TEXT);
