import process from 'node:process';
import { javascriptNode } from '../../runner/nodes/javascript/index.ts';
import { makeNodeCall } from './node_call.ts';

// Runs the scripts in its arguments one after the other and without web workers, as a hosted function does. Each has the
// inputs `id` and `odd`, which no JavaScript number holds. Prints the outputs or the error of each.
delete (globalThis as { Worker?: unknown }).Worker;

async function run(source: string): Promise<unknown> {
  const inputs = { id: { U: '820982911946154508' }, odd: { D: '1.10000000000000000001' } };
  const call = makeNodeCall(javascriptNode, { formData: { source }, inputs, inputNames: Object.keys(inputs) });
  return await Promise.resolve().then(() => javascriptNode.run(call)).catch(({ message }) => message);
}

const printed: unknown[] = [];
for (const source of process.argv.slice(2)) printed.push(await run(source));
console.log(JSON.stringify(printed));
