import process from 'node:process';
import { javascriptNode } from '../../runner/nodes/javascript/index.ts';
import { makeNodeCall } from './node_call.ts';

// Runs the scripts in its arguments one after the other and without web workers, as a hosted function does. Prints the
// outputs or the error of each.
delete (globalThis as { Worker?: unknown }).Worker;

async function run(source: string): Promise<unknown> {
  const call = makeNodeCall(javascriptNode, { formData: { source } });
  return await Promise.resolve().then(() => javascriptNode.run(call)).catch(({ message }) => message);
}

const printed: unknown[] = [];
for (const source of process.argv.slice(2)) printed.push(await run(source));
console.log(JSON.stringify(printed));
