import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeNodeCall } from '../../tests/support/node_call.ts';
import { makeSpawnNodeScriptThread, spawnNodeScriptThread } from '../worker/node_script_thread.ts';
import { Released, type ScriptResult, ThreadMissing } from '../engine/node.ts';
import { sizedScriptNodes } from '../nodes/rhai_script/index.ts';
import { makeScriptThreads, type ScriptThread, type SpawnScriptThread, type ThreadRequest } from './script_threads.ts';

const taskOf = (source: string) => ({
  inputs: { source: { S: source } },
  inputNames: ['source'],
  outputNames: ['u'],
  environment: {},
});
const never = () => new AbortController().signal;

/** Makes threads that answer at the test's command. */
function makeFakeThreads() {
  const asked: string[] = [];
  let terminated = 0;
  let answer: ((text: string) => void) | undefined;
  const spawn: SpawnScriptThread = (onAnswer): ScriptThread => {
    answer = (text) => onAnswer({ lines: [], outputs: { u: { S: text } } });
    return {
      post: ({ task }: ThreadRequest) => void asked.push((task.inputs.source as { S: string }).S),
      terminate: () => void terminated++,
    };
  };
  return { spawn, asked, answer: (text: string) => answer?.(text), terminated: () => terminated };
}

describe('scripts of a worker', () => {
  it('run one at a time, in the order of the last turns of their owners', async () => {
    const { spawn, asked, answer } = makeFakeThreads();
    const scriptsOf = makeScriptThreads({ spawn, budgetMs: Infinity });
    const compute = (owner: string, source: string) =>
      scriptsOf(owner)!(taskOf(source), { signal: never(), releasing: never() });
    const results = [
      compute('a', 'a1'),
      compute('a', 'a2'),
      compute('a', 'a3'),
      compute('b', 'b1'),
      compute('b', 'b2'),
    ];
    for (let count = 0; count < results.length; count++) {
      expect(asked).toHaveLength(count + 1);
      answer(asked.at(-1)!);
    }
    expect(asked).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
    const outputs = (await Promise.all(results)).map((result) => 'outputs' in result && result.outputs.u);
    expect(outputs).toEqual(['a1', 'a2', 'a3', 'b1', 'b2'].map((text) => ({ S: text })));
  });

  it('leave the queue when their run is released, and end with the thread when their run is stopped', async () => {
    const { spawn, asked, answer, terminated } = makeFakeThreads();
    const compute = makeScriptThreads({ spawn, budgetMs: Infinity })('a')!;
    const [stop, releasing] = [new AbortController(), new AbortController()];
    const first = compute(taskOf('first'), { signal: stop.signal, releasing: releasing.signal });
    const second = compute(taskOf('second'), { signal: never(), releasing: releasing.signal });
    const third = compute(taskOf('third'), { signal: never(), releasing: never() });
    releasing.abort();
    await expect(second).rejects.toThrow(Released);
    stop.abort({ status: 'stopped', message: 'stopped by its owner', graceMs: 0 });
    await expect(first).rejects.toThrow('stopped by its owner');
    expect([terminated(), asked]).toEqual([1, ['first', 'third']]);
    answer('third');
    expect(await third).toMatchObject({ outputs: { u: { S: 'third' } } });
  });

  it('get no late answer of a thread that was ended for another script', async () => {
    const answers: ((text: string) => void)[] = [];
    const spawn: SpawnScriptThread = (onAnswer) => {
      answers.push((text) => onAnswer({ lines: [], outputs: { u: { S: text } } }));
      return { post: () => {}, terminate: () => {} };
    };
    const scriptsOf = makeScriptThreads({ spawn, budgetMs: Infinity });
    const stop = new AbortController();
    const stopped = scriptsOf('a')!(taskOf('first'), { signal: stop.signal, releasing: never() });
    const other = scriptsOf('b')!(taskOf('second'), { signal: never(), releasing: never() });
    stop.abort({ status: 'stopped', message: 'stopped by its owner', graceMs: 0 });
    await expect(stopped).rejects.toThrow('stopped by its owner');
    // This answer was sent before the thread was ended, and arrives only now.
    answers[0]!('of the first');
    answers[1]!('of the second');
    expect(await other).toMatchObject({ outputs: { u: { S: 'of the second' } } });
  });

  it('continue in a new thread if a script, even the first one, has ended its thread', async () => {
    let spawned = 0;
    const spawn: SpawnScriptThread = (onMessage, onError) => {
      spawned += 1;
      return {
        post: ({ task }) => {
          const { S: source } = task.inputs.source as { S: string };
          onMessage('ready');
          if (source === 'endless memory') onError('out of memory');
          else onMessage({ lines: [], outputs: { u: { S: source } } });
        },
        terminate: () => {},
      };
    };
    const compute = makeScriptThreads({ spawn, budgetMs: Infinity })('a')!;
    const run = { signal: never(), releasing: never() };
    await expect(compute(taskOf('endless memory'), run)).rejects.toThrow('the script ended its thread: out of memory');
    expect(await compute(taskOf('next'), run)).toMatchObject({ outputs: { u: { S: 'next' } } });
    expect(spawned).toBe(2);
  });

  it('do not keep the process of a worker alive while their thread is idle', async () => {
    const { spawn, answer } = makeFakeThreads();
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const result = makeScriptThreads({ spawn, budgetMs: Infinity })('a')!(taskOf('1'), {
      signal: never(),
      releasing: never(),
    });
    answer('1');
    await result;
    const started = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
    timers.mockRestore();
    expect(started.map((timer) => timer.hasRef())).toEqual([false]);
    for (const timer of started) clearTimeout(timer);
  });

  it('find no thread if the runtime has none, reported at once or later', async () => {
    const runtimes: SpawnScriptThread[] = [
      () => {
        throw new Error('there are no threads');
      },
      (_, onError) => ({ post: () => onError('it can not be loaded'), terminate: () => {} }),
    ];
    for (const spawn of runtimes) {
      const scriptsOf = makeScriptThreads({ spawn, budgetMs: Infinity });
      const compute = scriptsOf('a')!;
      const run = { signal: never(), releasing: never() };
      await expect(compute(taskOf('1'), run)).rejects.toThrow(ThreadMissing);
      await expect(compute(taskOf('1'), run)).rejects.toThrow(ThreadMissing);
      expect(scriptsOf('a')).toBeUndefined();
    }
  });
});

describe('a script node', () => {
  const node = sizedScriptNodes.find(({ definition }) => definition.data.node_id === 'rhai_script_0x1')!;
  const LONG = 'print("begun"); let i = 0; while i < 1000000 { i += 1 } print("ended"); i';
  const lines: string[] = [];
  afterEach(() => void lines.splice(0));
  const runWith = async (source: string, scripts?: ReturnType<ReturnType<typeof makeScriptThreads>>) =>
    await node.run(
      makeNodeCall(node, { inputs: { source: { S: source } }, scripts, log: (_, line) => void lines.push(line) }),
    );

  it('computes a long script in a real thread, logs its lines once, and does not block this thread', async () => {
    const compute = makeScriptThreads({ spawn: spawnNodeScriptThread, budgetMs: Infinity })('a')!;
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const outputs = await runWith(LONG, compute);
    clearInterval(timer);
    expect(outputs).toEqual({ u: { I: '1000000' } });
    expect(lines).toEqual(['begun', 'ended']);
    expect(turns).toBeGreaterThan(3);
    await expect(runWith('let i = 0; while i < 1000000 { i += 1 } throw "no"', compute)).rejects.toThrow('no');
    await expect(runWith('let a = 1; loop {}', compute)).rejects.toThrow('Too many operations');
  });

  it.runIf(process.platform === 'linux')('leaves the CPU to others while its thread computes', async () => {
    const compute = makeScriptThreads({ spawn: spawnNodeScriptThread, budgetMs: Infinity })('a')!;
    const nicenessOf = (thread: string) => {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    };
    const before = nicenessOf(String(process.pid));
    await runWith(`/* nice */ ${LONG}`, compute);
    expect(nicenessOf(String(process.pid))).toBe(before);
    expect(Math.max(...readdirSync('/proc/self/task').map(nicenessOf))).toBeGreaterThanOrEqual(5);
  });

  it('ends a script in its thread after its budget', async () => {
    const compute = makeScriptThreads({ spawn: spawnNodeScriptThread, budgetMs: 5 })('a')!;
    await expect(runWith('let b = 1; loop {}', compute)).rejects.toThrow('node_cpu_limit: not finished after 5 ms');
  });

  it('fails if it needs more memory than its thread has, even as the first script, and the next one gets a new thread', async () => {
    const spawn = makeSpawnNodeScriptThread({ maxOldGenerationSizeMb: 40 });
    const compute = makeScriptThreads({ spawn, budgetMs: Infinity })('a')!;
    const hungry =
      'fn hold(n) { let a = []; a.pad(9999, n); let b = a; let c = a; let d = a; if n > 0 { hold(n - 1); } } hold(200)';
    await expect(runWith(hungry, compute)).rejects.toThrow(/^the script ended its thread: .*memory/);
    expect(await runWith(LONG, compute)).toEqual({ u: { I: '1000000' } });
  });

  it('computes short scripts at once, and long ones too if there is no thread', async () => {
    const tasks: unknown[] = [];
    const missing = (task: unknown): Promise<ScriptResult> => {
      tasks.push(task);
      return Promise.reject(new ThreadMissing());
    };
    expect(await runWith('1 + 1', missing)).toEqual({ u: { I: '2' } });
    expect(tasks).toEqual([]);
    expect(await runWith(`/* other */ ${LONG}`, missing)).toEqual({ u: { I: '1000000' } });
    expect(tasks).toHaveLength(1);
    expect(lines).toEqual(['begun', 'ended']);
  });
});
