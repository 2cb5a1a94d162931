import process from 'node:process';
import { javascriptNode } from '../../runner/nodes/javascript/index.ts';
import { makeNodeCall } from './node_call.ts';

// Runs the scripts of its arguments as a hosted function does: without web workers, one after the other. Prints the
// result or error of each, and how long a timer had to wait meanwhile.
delete (globalThis as { Worker?: unknown }).Worker;

/** Runs a script. Another run of the process would get its turn when the timer does. */
async function run(source: string): Promise<{ result: unknown; blockedMs: number }> {
  const begin = performance.now();
  const turn = new Promise<number>((resolve) => setTimeout(() => resolve(performance.now() - begin), 0));
  const call = makeNodeCall(javascriptNode, { formData: { source } });
  const result = await Promise.resolve().then(() => javascriptNode.run(call)).catch(({ message }) => message);
  return { result, blockedMs: await turn };
}

const printed: unknown[] = [];
// The first run loads the sandbox.
await run('return 0 as number');
for (const source of process.argv.slice(2)) printed.push(await run(source));
console.log(JSON.stringify(printed));
