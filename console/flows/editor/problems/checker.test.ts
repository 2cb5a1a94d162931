import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeEditorStore } from '../editor_store.ts';
import { type Checked, type CheckResult, makeChecker, PAUSE_MS } from './checker.ts';
import type { FlowProblem } from './problem.ts';

const problem = (message: string): FlowProblem => ({
  code: 'c',
  severity: 'warning',
  message,
  path: 'nodes',
  nodeId: undefined,
  edge: undefined,
  field: undefined,
  calledFlow: undefined,
});
const settings = {
  name: '',
  description: '',
  environment: {},
  chain_network: { url: '', cluster: 'devnet' },
  instructions_bundling: 'Off',
  is_public: false,
  start_shared: false,
  start_unverified: false,
};
const node = (id: string) => ({ id, data: { node_id: id }, position: { x: 0, y: 0 } });

/** Opens an editor whose checks are answered by the test. */
function open(nodes = [node('a')]) {
  const store = makeEditorStore({ nodes, edges: [] }, settings, 'v1');
  const asked: { checked: Checked; answer: (result: CheckResult) => void; fail: (error: unknown) => void }[] = [];
  const checker = makeChecker(store, (checked) => new Promise((answer, fail) => asked.push({ checked, answer, fail })));
  const answer = async (index: number, ...messages: string[]) => {
    asked[index]!.answer({ list: messages.map(problem), isComplete: true });
    await vi.advanceTimersByTimeAsync(0);
  };
  const add = (id: string) => store.change((document) => ({ ...document, nodes: [...document.nodes, node(id)] }));
  return { store, asked, checker, answer, add };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('checks when the flow is opened, and again after a pause without changes', async () => {
  const { checker, asked, answer, add } = open();
  checker.start();
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(asked).toHaveLength(1);
  await answer(0, 'first');
  expect(checker.state()).toMatchObject({ list: [{ message: 'first' }], isCurrent: true });

  add('b');
  expect(checker.state()).toMatchObject({ list: [{ message: 'first' }], isCurrent: false });
  await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
  add('c');
  await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(2);
  expect(asked[1]!.checked.document.nodes).toHaveLength(3);
});

it('runs one check at a time, and checks again if the flow changed during a check', async () => {
  const { checker, asked, answer, add } = open();
  checker.start();
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  add('b');
  await vi.advanceTimersByTimeAsync(10 * PAUSE_MS);
  expect(asked).toHaveLength(1);
  await answer(0, 'old');
  expect(checker.state()).toMatchObject({ list: [{ message: 'old' }], isCurrent: false });
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(asked).toHaveLength(2);
  await answer(1);
  expect(checker.state()).toMatchObject({ list: [], isCurrent: true });
});

it('does not check again when a node is moved', async () => {
  const { checker, asked, answer, store } = open();
  checker.start();
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  await answer(0);
  store.change((document) => ({
    ...document,
    nodes: document.nodes.map((moved) => ({ ...moved, position: { x: 9, y: 9 } })),
  }));
  await vi.advanceTimersByTimeAsync(2 * PAUSE_MS);
  expect(asked).toHaveLength(1);
  expect(checker.state().isCurrent).toBe(true);
});

it('checks a large flow when it is saved', async () => {
  const { checker, asked, store, add } = open();
  checker.start();
  add('b');
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  asked[0]!.answer('too large');
  await vi.advanceTimersByTimeAsync(10 * PAUSE_MS);
  expect(checker.state().waitsForSave).toBe(true);
  expect(asked).toHaveLength(1);
  store.markSaved({ document: store.state().document, version: 'v2' });
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(asked[1]!.checked.isSaved).toBe(true);
});

it('gives the problems of the present flow at once, without waiting for the pause', async () => {
  const { checker, asked, answer, add } = open();
  checker.start();
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  add('b');
  const current = checker.current();
  await answer(0, 'old');
  expect(asked).toHaveLength(2);
  await answer(1, 'new');
  expect(await current).toMatchObject({ list: [{ message: 'new' }], isCurrent: true });
  expect(await checker.current()).toMatchObject({ list: [{ message: 'new' }] });
  expect(asked).toHaveLength(2);
});

it('keeps the last problems when a check fails, and checks again after the next change', async () => {
  const { checker, asked, answer, add } = open();
  checker.start();
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  await answer(0, 'first');
  add('b');
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  asked[1]!.fail(new Error('no network'));
  await vi.advanceTimersByTimeAsync(10 * PAUSE_MS);
  expect(checker.state()).toMatchObject({
    list: [{ message: 'first' }],
    isCurrent: false,
    error: { message: 'no network' },
  });
  expect(asked).toHaveLength(2);
  add('c');
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(asked).toHaveLength(3);
});
